// The list of GPUs: every figure, or its ratio to one GPU's; and all that is known of one, beside that GPU's.

const report = JSON.parse(document.getElementById('report').textContent);
const { gpus, parameters, qualities, texts } = report;

/// What is known of a GPU's parameter: {value, quality, uncertainty, source}, or null.
const known = gpus.map((gpu) => new Map(gpu.values.map(([parameter, value, quality, uncertainty, source]) =>
  [parameters[parameter].key, { value, quality: qualities[quality], uncertainty, source: texts[source] }])));
const valueOf = (gpu, key) => known[gpu].get(key)?.value ?? null;

let against = null;  // the GPU that the figures are divided by
let shown = null;    // the GPU that is shown whole

/// A number, or its ratio to that of the GPU compared with.
function figure(gpu, key) {
  const value = valueOf(gpu, key);
  if (against === null || typeof value !== 'number') return value;
  const base = valueOf(against, key);
  return typeof base === 'number' && base > 0 ? value / base : null;
}
function column(key, heading) {
  const { unit, meaning } = parameters.find((one) => one.key === key);
  return { key, heading, meaning, get unit() { return against === null ? unit : 'factor'; }, get: (gpu) => figure(gpu, key) };
}
const columns = [
  { key: 'gpu', heading: 'GPU', get: (gpu) => gpus[gpu].name, node: (gpu) => h('button', { type: 'button', class: 'kernel', 'aria-pressed': String(gpu === shown), onclick: () => show(gpu) }, gpus[gpu].name) },
  { key: 'vendor', heading: 'Maker', get: (gpu) => gpus[gpu].vendor },
  { key: 'architecture', heading: 'Generation', get: (gpu) => gpus[gpu].architecture },
  { key: 'compute_capability', heading: 'Capability', get: (gpu) => gpus[gpu].compute_capability },
  column('sm_count', 'SMs'), column('fp32_op_per_s', 'fp32'), column('fp64_op_per_s', 'fp64'), column('int_mad_op_per_s', 'int'),
  column('tensor_fp16_op_per_s', 'Tensor fp16'), column('dram_bandwidth_byte_per_s', 'DRAM'), column('memory_byte', 'Memory'),
  column('l2_bandwidth_byte_per_s', 'L2'), column('l2_size_byte', 'L2 size'), column('shared_inst_per_s', 'Shared'), column('tdp_w', 'Power'),
  { key: 'quality', heading: 'Rates are', get: (gpu) => gpus[gpu].quality },
];
const table = makeTable({
  id: 'gpus', caption: 'GPUs', columns, rows: () => gpus.map((_, gpu) => gpu), page: 25,
  rowClass: (gpu) => (gpu === shown ? 'selected' : gpu === against ? 'best' : ''),
});

/// Every parameter of the GPU shown; with a GPU to compare with, its value, the ratio, and whether it differs.
function show(gpu) {
  shown = gpu;
  const section = document.getElementById('gpu');
  section.hidden = shown === null;
  table.draw();
  if (shown === null) return;
  const { name, aliases } = gpus[shown];
  const other = against !== null && against !== shown ? against : null;
  const keys = parameters.filter(({ key }) => known[shown].has(key) || (other !== null && known[other].has(key)));
  const text = (of, { key, unit }) => { const value = valueOf(of, key); return value === null ? '–' : cellText(value, unit); };
  const ratio = ({ key }) => { const [a, b] = [valueOf(shown, key), valueOf(other, key)]; return typeof a === 'number' && typeof b === 'number' && b > 0 ? a / b : null; };
  const what = (row) => known[shown].get(keys[row].key);
  const details = makeTable({
    id: 'parameters', caption: `All that is known of ${name}`, rows: () => keys.map((_, row) => row), page: 200, sort: null,
    rowClass: (row) => (other !== null && text(shown, keys[row]) !== text(other, keys[row]) ? 'selected' : ''),
    columns: [
      { key: 'parameter', heading: 'Parameter', get: (row) => keys[row].key, title: (row) => keys[row].meaning },
      { key: 'value', heading: name, get: (row) => valueOf(shown, keys[row].key), node: (row) => h('span', {}, text(shown, keys[row])) },
      ...(other === null ? [] : [
        { key: 'other', heading: gpus[other].name, get: (row) => valueOf(other, keys[row].key), node: (row) => h('span', {}, text(other, keys[row])) },
        { key: 'ratio', heading: 'Ratio', unit: 'factor', get: (row) => ratio(keys[row]) }]),
      { key: 'quality', heading: 'Known as', get: (row) => what(row)?.quality ?? null },
      { key: 'relative_uncertainty', heading: '±', unit: 'fraction', get: (row) => what(row)?.uncertainty ?? null },
      { key: 'source', heading: 'Source', get: (row) => what(row)?.source ?? null, node: (row) => h('span', {}, what(row)?.source ?? '') },
    ],
  });
  section.replaceChildren(
    h('h2', { id: 'gpu-heading', tabindex: '-1' }, name),
    h('p', { class: 'lead' }, aliases.length ? `Also called ${aliases.join(', ')}.` : '', other === null ? '' : ` Marked: what differs from ${gpus[other].name}.`),
    details.element);
  document.getElementById('gpu-heading').focus();
}

{
  const list = document.getElementById('list');
  document.getElementById('list-heading').textContent = `${gpus.length} ${gpus.length === 1 ? 'GPU' : 'GPUs'}`;
  const choose = h('select', {
    id: 'against', onchange: () => {
      against = choose.value === '' ? null : Number(choose.value);
      if (shown === null) table.draw(); else show(shown);
    },
  }, h('option', { value: '' }, 'nothing: figures as they are'), gpus.map((gpu, place) => h('option', { value: place }, gpu.name)));
  list.append(h('div', { class: 'controls' }, h('label', {}, 'Divide by those of', choose)), table.element);
  document.getElementById('colophon').textContent = `Made by gpuproj ${report.tool_version}. This page is complete in itself: it loads nothing.`;
}
