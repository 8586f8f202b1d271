// The data, and the choices that all parts of the page share.

const page = JSON.parse(document.getElementById('report').textContent);

const targets = columnsOf(page.targets);
const targetCount = targets.gpu.rows;

/// Numbers packed by reports/html_columns.cpp: little-endian, in base 64.
function unpacked(text, Type) {
  const given = atob(text);
  const bytes = new Uint8Array(given.length);
  for (let at = 0; at < given.length; ++at) bytes[at] = given.charCodeAt(at);
  return new Type(bytes.buffer);
}
/// Each model with its totals as columns; `data` is unpacked when it is first asked for.
function modelsOf(given) {
  const places = (text, width) => (text === null ? null : unpacked(text, { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width]));
  return given.models.map(({ name, title, source, predictions, totals }) => {
    let data = null;
    return {
      name, title, source, total: columnsOf(totals), bounded: predictions.interval_at !== null,
      get data() {
        return data ??= { duration_s: unpacked(predictions.duration_s, Float32Array), intervals: predictions.intervals, interval_at: places(predictions.interval_at, predictions.interval_width),
          remarks: places(predictions.remarks, given.remark_width) };
      },
    };
  });
}
/// The programs of the mix: each its part of the data, with its kernels, counters and models as columns.
const programs = [page.own_answer ? { ...page, answer: page.own_answer } : page, ...page.others.map((other) => ({ ...page, ...other }))]
  .map((given, place) => ({ given, name: page.comparison ? page.comparison.names[place] : page.answer.title, kernels: columnsOf(given.kernels), counters: columnsOf(given.counters), models: modelsOf(given) }));
const isMix = programs.length > 1;
/// Of the program that is shown; all sections but the answer and the comparison are about it.
let report, kernels, counters, kernelCount, models;
function show(program) {
  const one = programs[program];
  ({ given: report, kernels, counters, models } = one);
  kernelCount = kernels.kernel.rows;
}
show(0);

/// A kernel's name as charts can hold it, and the GPU's.
const kernelName = (kernel, length = 60) => clipped(kernels.kernel.get(kernel), length);
const gpuName = (target) => targets.gpu.get(target);

/// What a model predicts for a kernel on a target.
function prediction(kernel, target, model = state.model, of = programs[state.program]) {
  const at = target * of.kernels.kernel.rows + kernel;
  const { duration_s, intervals, interval_at, remarks } = of.models[model].data;
  const times = (factor) => (factor === null || Number.isNaN(duration_s[at]) ? null : Number((duration_s[at] * factor).toPrecision(7)));
  const [low, high] = interval_at === null ? [null, null] : intervals[interval_at[at]];
  return { duration: times(1), low: times(low), high: times(high), limiter: of.given.remarks[remarks[at]][0] };
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
  program: 0,
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
  state.target = page.answer.best ?? order[0] ?? 0;
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
