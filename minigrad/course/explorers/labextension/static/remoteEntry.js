// How JupyterLab comes to draw explorers, and to tell the three notebooks of a chapter apart in their tabs: a MIME
// renderer and a plugin, written by hand, without a bundler.
// JupyterLab loads this file as a plain script and asks the container that it leaves behind for "./mimeExtension" and
// "./extension".
(() => {
  const NAME = "minigrad-explorers";
  const MIME = "application/vnd.minigrad.explorer+json";
  const here = new URL(".", document.currentScript.src);
  // What a reader has chosen since the page was opened, by notebook and id: a cell that runs again has a new output.
  const chosen = new Map();
  const KINDS = { lessons: "Lesson", exercises: "Exercise", solutions: "Solution" };
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

  // "Exercise · 01_scalar_backward.ipynb" in a tab. With CSS, because JupyterLab renames the file when a title changes.
  function label(panel) {
    const { kind } = panel.context.model.sharedModel.getMetadata("minigrad") ?? {};
    if (Object.hasOwn(KINDS, kind ?? "")) panel.title.dataset = { ...panel.title.dataset, "mg-kind": kind };
  }

  function watch(panel) {
    if (!panel.context?.model?.sharedModel?.getMetadata || watched.has(panel)) return;
    watched.add(panel);
    panel.context.ready.then(() => label(panel));
  }
  const watched = new WeakSet();

  function style() {
    const rule = ([kind, word]) => `.lm-TabBar-tab[data-mg-kind="${kind}"] .lm-TabBar-tabLabel::before { content: "${word} · "; }`;
    const sheet = document.createElement("style");
    sheet.textContent = Object.entries(KINDS).map(rule).join("\n");
    document.head.append(sheet);
  }

  const tabs = {
    id: `${NAME}:tabs`,
    autoStart: true,
    activate(app) {
      shell = app.shell;
      style();
      const all = () => [...shell.widgets("main")].forEach(watch);
      shell.layoutModified?.connect(all);
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
