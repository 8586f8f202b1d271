// The data, and the choices that all parts of the page share.

const report = JSON.parse(document.getElementById('report').textContent);

const kernels = columnsOf(report.kernels);
const targets = columnsOf(report.targets);
const counters = columnsOf(report.counters);
const kernelCount = kernels.kernel.rows;
const targetCount = targets.gpu.rows;
const models = report.models.map((model) => ({ ...model, total: columnsOf(model.totals) }));

/// A kernel's name as charts can hold it, and the GPU's.
const kernelName = (kernel, length = 60) => clipped(kernels.kernel.get(kernel), length);
const gpuName = (target) => targets.gpu.get(target);

/// What a model predicts for a kernel on a target.
function prediction(kernel, target, model = state.model) {
  const at = target * kernelCount + kernel;
  const { duration_s, low_s, high_s, limiter } = models[model].predictions;
  return {
    duration: duration_s[at], low: low_s[at], high: high_s[at],
    limiter: limiter[at] === null ? null : report.limiters[limiter[at]],
  };
}
function notesOf(model, list) {
  const notes = new Map();
  for (const [at, text] of models[model].predictions[list]) {
    if (!notes.has(at)) notes.set(at, []);
    notes.get(at).push(report.texts[text]);
  }
  return notes;
}
for (let model = 0; model < models.length; ++model) {
  models[model].refusals = notesOf(model, 'reasons');
  models[model].warnings = notesOf(model, 'warnings');
}
function total(target, model = state.model) {
  const of = models[model].total;
  return {
    duration: of.duration_s.get(target), low: of.low_s.get(target), high: of.high_s.get(target),
    covered: of.covered_share.get(target), refused: of.kernels_refused.get(target), rest: of.rest_s.get(target),
  };
}

/// The targets, those that cover most kernels first, then the fastest.
function fastestFirst(model = state.model) {
  const order = [...Array(targetCount).keys()];
  const of = order.map((target) => total(target, model));
  const time = (target) => of[target].duration ?? Infinity;
  return order.sort((a, b) => of[a].refused - of[b].refused || time(a) - time(b) || a - b);
}

const most_shown_at_first = 12;
const state = {
  model: 0,
  shown: new Set(),   // targets switched on
  target: 0,          // the one whose kernels are listed
  kernel: null,       // highlighted everywhere
};
{
  const order = fastestFirst(0);
  order.slice(0, targetCount <= most_shown_at_first + 2 ? targetCount : most_shown_at_first).forEach((target) => state.shown.add(target));
  const own = order.find((target) => gpuName(target) === report.gpu);
  if (own !== undefined) state.shown.add(own);
  state.target = order[0] ?? 0;
}
const shownTargets = () => fastestFirst().filter((target) => state.shown.has(target));

/// Parts that redraw when a choice changes.
const listeners = [];
const whenChanged = (redraw) => listeners.push(redraw);
function change(changes) {
  Object.assign(state, changes);
  for (const redraw of listeners) redraw(changes);
}
function selectKernel(kernel) {
  change({ kernel: kernel === state.kernel ? null : kernel });
}
