// Sorts the students by the column whose heading is clicked: upwards, then downwards, then as they were.
const table = document.querySelector(".students"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
const first = [...body.rows], words = new Intl.Collator(undefined, { numeric: true });
const number = cell => { const found = parseFloat(cell.dataset.key ?? cell.textContent); return isNaN(found) ? -1 : found; };
heads.forEach((head, at) => {
  const button = document.createElement("button"), isName = at === 0;
  const compare = (one, other) => isName ? words.compare(one.textContent, other.textContent) : number(one) - number(other);
  button.append(...head.childNodes);
  head.append(button);
  button.onclick = () => {
    const next = { ascending: "descending", descending: null }, before = head.getAttribute("aria-sort");
    const order = before ? next[before] : "ascending", sign = order === "ascending" ? 1 : -1;
    heads.forEach(each => each.removeAttribute("aria-sort"));
    if (order) head.setAttribute("aria-sort", order);
    body.append(...(order ? [...first].sort((one, other) => sign * compare(one.cells[at], other.cells[at])) : first));
  };
});
