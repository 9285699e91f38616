// How JupyterLab comes to draw explorers, to tell the three notebooks of a chapter apart in their tabs, to set their text
// in lines that one can read, and to keep the first page up to date: a MIME renderer and a plugin, written by hand,
// without a bundler.
// JupyterLab loads this file as a plain script and asks the container that it leaves behind for "./mimeExtension" and
// "./extension".
(() => {
  const NAME = "minigrad-explorers";
  const MIME = "application/vnd.minigrad.explorer+json";
  const here = new URL(".", document.currentScript.src);
  // What a reader has chosen since the page was opened, by notebook and id: a cell that runs again has a new output.
  const chosen = new Map();
  const KINDS = { lessons: "Lesson", exercises: "Exercise", solutions: "Solution", home: "Your course" };
  let scope;
  let shell;

  // JupyterLab has each shared library once, under its version.
  async function shared(name) {
    const versions = scope[name];
    return (await versions[Object.keys(versions).sort().pop()].get())();
  }

  async function factory() {
    const { Widget } = await shared("@lumino/widgets");

    class Explorer extends Widget {
      async renderModel(model) {
        this.model = model;
        // JupyterLab draws an output again whose data have changed, as they do when a choice is stored in them.
        if (this.stored && this.stored === JSON.stringify(model.data[MIME])) return;
        await this.draw();
        this.recall();
      }

      async draw() {
        const { mount } = await import(new URL("mount.js", here));
        const load = (view) => import(new URL(`${view}.js`, here));
        const { [MIME]: data, "image/svg+xml": picture } = this.model.data;
        await mount(this.node, data, picture, load, (changed) => this.keep(changed));
      }

      // Only what is on the page knows its notebook.
      onAfterAttach() {
        this.recall();
      }

      keep(changed) {
        const data = { ...this.model.data[MIME], ...changed };
        chosen.set(this.place(), changed);
        this.stored = JSON.stringify(data);
        this.model.setData({ data: { ...this.model.data, [MIME]: data } });
        if (String(data.id).startsWith("diagnosis-")) this.save();
      }

      // A check reads the choice out of the saved notebook.
      save() {
        const id = this.node.closest(".jp-NotebookPanel")?.id;
        const panel = [...(shell?.widgets("main") ?? [])].find((each) => each.id === id);
        if (panel?.context.model.dirty) panel.context.save();
      }

      recall() {
        const data = this.model?.data[MIME];
        const before = data?.id && this.isAttached && chosen.get(this.place());
        if (!before || JSON.stringify({ ...data, ...before }) === JSON.stringify(data)) return;
        this.keep(before);
        this.draw();
      }

      place() {
        return `${this.node.closest(".jp-NotebookPanel")?.id} ${this.model.data[MIME].id}`;
      }
    }

    const plugin = {
      id: `${NAME}:mime`,
      // safe: text is set as text, and nothing of the data is ever run, so it is drawn in a notebook nobody trusts yet
      rendererFactory: { safe: true, mimeTypes: [MIME], defaultRank: 10, createRenderer: () => new Explorer() },
      dataType: "json",
    };
    return () => ({ __esModule: true, default: plugin });
  }

  // Lines of at most 75 characters, in our notebooks only; tables, pictures and code keep their width.
  const STYLE = `
.mg-course .jp-RenderedMarkdown :is(h1, h2, h3, h4, p, ul, ol, blockquote) { max-width: 54ch; }
.mg-course .jp-RenderedMarkdown table :is(p, ul, ol) { max-width: none; }
.mg-course .jp-RenderedHTMLCommon table { margin-left: 0; }
.lm-TabBar-tab[data-mg-tab] .lm-TabBar-tabLabel { font-size: 0; }
.lm-TabBar-tab[data-mg-tab] .lm-TabBar-tabLabel::before { font-size: var(--jp-ui-font-size1); vertical-align: middle; }
.mg-fresh .jp-CodeCell .jp-Cell-inputWrapper { display: none; }`;

  // "Exercise 1 · scalar backward" in a tab. With CSS, because JupyterLab renames the file when a title changes.
  function label(panel) {
    const { kind, name } = panel.context.model.sharedModel.getMetadata("minigrad") ?? {};
    const word = Object.hasOwn(KINDS, kind ?? "") && KINDS[kind];
    const [, number, rest] = /^(\d\d)_(\w+)$/.exec(name) ?? [];
    if (!word || (kind !== "home" && !number)) return;
    panel.addClass("mg-course");
    const says = kind === "home" ? word : `${word} ${Number(number)} · ${rest.replaceAll("_", " ")}`;
    const tab = kind === "home" ? kind : `${kind}-${name}`;
    if (!labels.has(tab)) sheet.textContent += `\n.lm-TabBar-tab[data-mg-tab="${tab}"] .lm-TabBar-tabLabel::before { content: "${says}"; }`;
    labels.add(tab);
    panel.title.dataset = { ...panel.title.dataset, "mg-tab": tab };
  }
  const labels = new Set();
  const sheet = document.createElement("style");

  function watch(panel) {
    if (!panel.context?.model?.sharedModel?.getMetadata || watched.has(panel)) return;
    watched.add(panel);
    panel.context.ready.then(() => {
      label(panel);
      renew(panel);
    });
  }
  const watched = new WeakSet();

  // Where `minigrad lab` serves a learner's folder, the progress on its first page is run whenever the page is shown.
  async function renew(panel) {
    if (!HOME || panel?.context?.path !== HOME || shell.currentWidget !== panel || running) return;
    running = true;
    try {
      await panel.sessionContext.ready;
      const cell = panel.content.widgets.find((each) => each.model.sharedModel.getSource() === RUNS);
      const kernel = panel.sessionContext.session?.kernel;
      if (!cell || !kernel) return;
      panel.addClass("mg-fresh"); // what runs by itself need not be seen
      // Not as JupyterLab runs a cell, which empties it first: the page would jump each time it is shown.
      const outputs = [];
      const future = kernel.requestExecute({ code: RUNS });
      future.onIOPub = ({ header, content }) => {
        const output = { output_type: header.msg_type, ...content };
        delete output.transient; // no part of a notebook
        const again = content.text?.includes("extension is already loaded"); // IPython, when one comes back
        if (OUTPUTS.includes(header.msg_type) && !again) outputs.push(output);
      };
      await future.done;
      cell.model.trusted = true; // it shows what we print
      if (JSON.stringify(outputs) !== JSON.stringify(cell.model.outputs.toJSON())) cell.model.outputs.fromJSON(outputs);
      if (panel.context.model.dirty) await panel.context.save();
    } catch {
      // The kernel was stopped, or the page closed: it says itself how to run the cell.
    } finally {
      running = false;
    }
  }
  const RUNS = "%load_ext minigrad_course\n%progress";
  const OUTPUTS = ["stream", "display_data", "execute_result", "error"];
  const HOME = JSON.parse(document.getElementById("jupyter-config-data")?.textContent || "{}").minigradHome;
  let running = false;

  const tabs = {
    id: `${NAME}:tabs`,
    autoStart: true,
    activate(app) {
      shell = app.shell;
      sheet.textContent = STYLE;
      document.head.append(sheet);
      const all = () => [...shell.widgets("main")].forEach(watch);
      shell.layoutModified?.connect(all);
      shell.currentChanged?.connect((_, { newValue }) => watched.has(newValue) && renew(newValue));
      app.restored.then(all);
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB[NAME] = {
    init(given) {
      scope = given;
    },
    get: async (module) => (module === "./extension" ? () => ({ __esModule: true, default: tabs }) : factory()),
  };
})();
