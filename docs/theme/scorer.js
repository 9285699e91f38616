// How results of the search are ordered: what a title says first, then questions and lessons, then what lists everything.
window.Scorer = {
  score([page, title, , , score]) {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const named = asked.filter((word) => title.toLowerCase().includes(word)).length;
    const kind = [[/^docs\/questions\//, 12], [/^lessons\//, 8], [/^docs\/engine\//, 4], [/^exercises\//, -4], [/^(docs\/(names|benchmarks)|CONTRIBUTING|INSTRUCTORS)/, -8]];
    return score + (20 * named) / (asked.length || 1) + (kind.find(([where]) => where.test(page))?.[1] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
