// The data, and the choices that all parts of the page share.

const report = JSON.parse(document.getElementById('report').textContent);

const kernels = columnsOf(report.kernels);
const targets = columnsOf(report.targets);
const counters = columnsOf(report.counters);
const kernelCount = kernels.kernel.rows;
const targetCount = targets.gpu.rows;

/// Numbers packed by reports/html_columns.cpp: little-endian, in base 64.
function unpacked(text, Type) {
  const given = atob(text);
  const bytes = new Uint8Array(given.length);
  for (let at = 0; at < given.length; ++at) bytes[at] = given.charCodeAt(at);
  return new Type(bytes.buffer);
}
const Place = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[report.remark_width];
/// Each model with its totals as columns; `data` is unpacked when it is first asked for.
const models = report.models.map(({ name, title, source, predictions, totals }) => {
  let data = null;
  const numbers = (text) => (text === null ? null : unpacked(text, Float32Array));
  return {
    name, title, source, total: columnsOf(totals), bounded: predictions.low_s !== null,
    get data() {
      return data ??= { duration_s: numbers(predictions.duration_s), low_s: numbers(predictions.low_s), high_s: numbers(predictions.high_s),
        remarks: unpacked(predictions.remarks, Place) };
    },
  };
});

/// A kernel's name as charts can hold it, and the GPU's.
const kernelName = (kernel, length = 60) => clipped(kernels.kernel.get(kernel), length);
const gpuName = (target) => targets.gpu.get(target);

/// What a model predicts for a kernel on a target.
function prediction(kernel, target, model = state.model) {
  const at = target * kernelCount + kernel;
  const { duration_s, low_s, high_s, remarks } = models[model].data;
  const number = (of) => (of === null || Number.isNaN(of[at]) ? null : Number(of[at].toPrecision(7)));
  return { duration: number(duration_s), low: number(low_s), high: number(high_s), limiter: report.remarks[remarks[at]][0] };
}
/// What the model says of it in words: warnings, or where there is no prediction the reason.
function notesOf(kernel, target, model = state.model) {
  const at = target * kernelCount + kernel;
  const [limiter, texts] = report.remarks[models[model].data.remarks[at]];
  return { refused: limiter === null, texts: texts.map((text) => report.texts[text]) };
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
