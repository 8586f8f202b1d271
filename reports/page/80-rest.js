// What is not modelled, where everything comes from, and the numbers to recompute it.

function fillNotModelled(section) {
  const box = h('div');
  section.append(box);
  const draw = () => box.replaceChildren(...notModelled());
  draw();
  whenChanged((changes) => { if ('model' in changes) draw(); });
}

function notModelled() {
  const elements = [];
  const list = [];
  const refused = new Map();  // reason -> {kernels, targets}
  const warned = new Map();   // warning -> kernels
  for (let target = 0; target < targetCount; ++target) {
    for (let kernel = 0; kernel < kernelCount; ++kernel) {
      const said = notesOf(kernel, target);
      for (const text of said.texts) {
        const of = said.refused ? refused : warned;
        if (!of.has(text)) of.set(text, { kernels: new Set(), targets: new Set() });
        of.get(text).kernels.add(kernel);
        of.get(text).targets.add(target);
      }
    }
  }
  const rows = [...refused].map(([reason, where]) => ({ reason, ...where }));
  if (rows.length) {
    const measured = (which) => {
      const all = kernels.measured_s.values.reduce((a, b) => (a === null || b === null ? null : a + b), 0);
      return all ? [...which].reduce((sum, kernel) => sum + kernels.measured_s.get(kernel), 0) / all : null;
    };
    const names = (which, name) => { const first = [...which].slice(0, 3).map(name).join(', '); return which.size > 3 ? `${first} and ${which.size - 3} more` : first; };
    elements.push(makeTable({
      id: 'refused-table', caption: 'Kernels that were not predicted', filter: rows.length > 10, rows: () => [...rows.keys()],
      columns: [{ key: 'reason', heading: 'Reason', get: (row) => rows[row].reason }, { key: 'kernel_count', heading: 'Kernels', unit: 'count', get: (row) => rows[row].kernels.size },
        { key: 'kernels', heading: 'Which', get: (row) => names(rows[row].kernels, (kernel) => kernelName(kernel)) }, { key: 'measured_share', heading: 'Of measured time', unit: 'fraction', get: (row) => measured(rows[row].kernels) },
        { key: 'gpus', heading: 'On', get: (row) => (rows[row].targets.size === targetCount ? 'all GPUs' : names(rows[row].targets, gpuName)) }],
    }).element);
  } else if (kernelCount > 0) {
    list.push('Every kernel was predicted on every GPU.');
  }
  for (const [text, which] of warned) list.push(`${which.kernels.size} of ${kernelCount} kernels: ${text}`);
  list.push('One GPU runs the kernels one after another: several GPUs, overlap of kernels and of copies are not modelled.');
  list.push('Time of the host and of copies between host and GPU is not part of the kernels\' predicted times; the section on the application has it.');
  elements.push(h('ul', {}, list.map((text) => h('li', {}, text))));
  return elements;
}

function fillConfiguration(section) {
  const facts = columnsOf(report.facts);
  const rows = [...Array(facts.what.rows).keys()];
  section.append(h('h3', {}, 'This report'), makeTable({ id: 'facts', caption: 'What was profiled and how it was predicted', filter: false, header: 0, page: 100, rows: () => rows,
    columns: [{ key: 'what', heading: 'What', plain: true, get: facts.what.get }, { key: 'value', heading: 'Value', plain: true, get: facts.value.get }] }).element);
  section.append(h('h3', {}, 'Models'), makeTable({ id: 'models', caption: 'Models', filter: false, rows: () => [...models.keys()],
    columns: [{ key: 'model', heading: 'Model', plain: true, get: (row) => models[row].name }, { key: 'title', heading: 'Title', plain: true, get: (row) => models[row].title }, { key: 'source', heading: 'Source', plain: true, get: (row) => models[row].source }] }).element);
  if (report.transfers.columns[0].values.length) {
    section.append(h('h3', {}, 'Copies between host and GPU'), tableOf(report.transfers, { id: 'transfers', caption: 'Transfers', filter: false }).element);
  }
}

function fillNumbers(section) {
  if (kernelCount > 0) {
    section.append(h('h3', {}, 'Kernels as counted'), h('p', { class: 'note' }, 'Work, traffic and instruction mix of each kernel: Konstantinidis 2017, equations 4.1 to 4.8.'));
    const counted = tableOf(report.kernels, { id: 'parameters-table', caption: 'Kernels as counted', filter: kernelCount > 5, page: 10, rowClass: (kernel) => (kernel === state.kernel ? 'selected' : ''),
      replace: { kernel: kernelColumn(), name: null, measured_s: null, notes: null } });
    section.append(counted.element);
    const names = Object.values(counters);
    if (names.length) {
      const chosen = () => state.kernel ?? longestKernel();
      const known = () => [...names.keys()].filter((row) => names[row].get(chosen()) !== null);
      const table = makeTable({ id: 'counters-table', caption: 'Raw counters of the chosen kernel', page: 12, rows: known,
        columns: [{ key: 'counter', heading: 'Counter', get: (row) => names[row].key, node: (row) => h('code', {}, names[row].key) }, { key: 'value', heading: 'Value, all launches', unit: 'number', get: (row) => names[row].get(chosen()), node: (row) => document.createTextNode(inFull(names[row].get(chosen()))) }, { key: 'meaning', heading: 'Meaning', get: (row) => names[row].heading }] });
      section.append(h('h3', {}, 'Raw counters'), h('div', { class: 'controls' }, kernelChooser('counters-kernel', [...Array(kernelCount).keys()], chosen),
        h('button', { type: 'button', id: 'all-counters', onclick: () => download(fileName('counters', 'csv'), toCsv(['kernel', 'grid', 'block', 'launches', ...names.map((one) => one.key)],
          [...Array(kernelCount).keys()].map((kernel) => [kernels.name.get(kernel), kernels.grid.get(kernel), kernels.block.get(kernel), kernels.launches.get(kernel), ...names.map((one) => one.get(kernel))])), 'text/csv;charset=utf-8') }, 'CSV of all kernels')), table.element);
      whenChanged((changes) => { if ('kernel' in changes) { counted.draw(); table.draw(); } });
    }
  }
  const parameters = columnsOf(report.gpu_parameters);
  if (parameters.gpu && targetCount > 0) {
    const places = new Map();
    for (let row = 0; row < parameters.gpu.rows; ++row) {
      const name = parameters.gpu.get(row);
      if (!places.has(name)) places.set(name, []);
      places.get(name).push(row);
    }
    const unit = (row) => unitOfKey(parameters.parameter.get(row));
    const table = makeTable({ id: 'gpu-parameters-table', caption: 'Parameters of the chosen GPU', page: 12, rows: () => places.get(gpuName(state.target)) ?? [],
      columns: [{ ...parameters.parameter, heading: 'Parameter', node: (row) => h('code', {}, parameters.parameter.get(row)) },
        { key: 'value', heading: 'Value', unit: 'number', get: parameters.value.get, node: (row) => document.createTextNode(typeof parameters.value.get(row) === 'number' ? forPeople(parameters.value.get(row), unit(row)) : cellText(parameters.value.get(row))), title: (row) => inFull(parameters.value.get(row)) },
        { ...parameters.quality, heading: 'Known as' }, { ...parameters.meaning, heading: 'Meaning' }, { ...parameters.source, heading: 'Source' }] });
    section.append(h('h3', {}, 'GPU parameters'), h('div', { class: 'controls' }, gpuChooser('parameters-gpu')), table.element);
    whenChanged((changes) => { if ('target' in changes) table.draw(); });
  }
}
const unitOfKey = (key) => [['_op_per_s', 'op/s'], ['_inst_per_s', 'inst/s'], ['_byte_per_s', 'B/s'], ['_s', 's'], ['_byte', 'capacity'], ['_hz', 'Hz'], ['_w', 'W'], ['_cycle', 'cycles']]
  .find(([end]) => key.endsWith(end))?.[1] ?? 'count';
/// On the chosen GPU; found once for each choice, since every cell of a table may ask.
function longestKernel() {
  const choice = [state.program, state.target, state.model].join();
  if (longestKernel.choice === choice) return longestKernel.found;
  let longest = 0, most = -1;
  for (let kernel = 0; kernel < kernelCount; ++kernel) {
    const { duration } = prediction(kernel, state.target);
    if (duration > most) [longest, most] = [kernel, duration];
  }
  longestKernel.choice = choice;
  return longestKernel.found = longest;
}
