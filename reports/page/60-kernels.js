// Kernels on one GPU, and what limits them on all.

function gpuChooser(id) {
  const select = h('select', { id, onchange: () => change({ target: Number(select.value) }) });
  const fill = () => {
    select.replaceChildren(...fastestFirst().map((target) => h('option', { value: target }, gpuName(target))));
    select.value = String(state.target);
  };
  fill();
  whenChanged((changes) => { if ('target' in changes) select.value = String(state.target); if ('model' in changes) fill(); });
  return h('label', { for: id }, 'GPU', select);
}
/// Which model all predictions on the page are by; nothing where there is one.
function modelChooser(id) {
  if (models.length < 2) return null;
  const select = h('select', { id, class: 'model', onchange: () => change({ model: Number(select.value) }) }, models.map((model, place) => h('option', { value: place }, model.name)));
  select.value = String(state.model);
  whenChanged((changes) => { if ('model' in changes) select.value = String(state.model); });
  return h('label', { for: id }, 'Model', select);
}
function kernelChooser(id, among, chosen) {
  const select = h('select', { id, onchange: () => change({ kernel: Number(select.value) }) }, among.map((kernel) => h('option', { value: kernel }, kernelName(kernel, 70))));
  const show = () => { select.value = String(chosen()); };
  show();
  whenChanged((changes) => { if ('kernel' in changes) show(); });
  return h('label', { for: id }, 'Kernel', select);
}

/// The kernels of all programs of a mix on one GPU, each as often as the mix runs it; a click leads to the kernel's program.
function mixKernels() {
  const { jobs } = page.comparison;
  const pairs = programs.flatMap((one, program) => [...Array(one.kernels.kernel.rows).keys()].map((kernel) => [program, kernel]));
  const time = (row) => { const [program, kernel] = pairs[row]; const one = prediction(kernel, state.target, 0, programs[program]); return one.duration === null ? null : one.duration * jobs[program]; };
  const mix = () => programs.reduce((sum, one, program) => sum + jobs[program] * (one.models[0].total.duration_s.get(state.target) ?? 0), 0);
  const kernelOf = (row) => programs[pairs[row][0]].kernels;
  const isShown = (row) => pairs[row][0] === state.program && pairs[row][1] === state.kernel;
  const follow = (row) => { if (pairs[row][0] !== state.program) showProgram(pairs[row][0]); selectKernel(pairs[row][1]); };
  const table = makeTable({
    id: 'mix-kernels-table', caption: 'Kernels of all programs of the mix on the chosen GPU', rows: () => [...pairs.keys()], sort: { key: 'duration_s', down: true }, page: 10, filter: pairs.length > 5,
    rowClass: (row) => (isShown(row) ? 'selected' : ''),
    columns: [{ key: 'kernel', heading: 'Kernel', get: (row) => kernelOf(row).kernel.get(pairs[row][1]), node: (row) => h('button', { type: 'button', class: 'kernel', title: clipped(kernelOf(row).name.get(pairs[row][1]), 1000), 'aria-pressed': String(isShown(row)), onclick: () => follow(row) }, clipped(kernelOf(row).kernel.get(pairs[row][1]), 80)) },
      { key: 'program', heading: 'Program', get: (row) => programs[pairs[row][0]].name },
      { key: 'duration_s', heading: 'In a mix', unit: 's', meaning: 'Predicted time of all its launches, as often as the mix runs its program', get: time },
      { key: 'share', heading: 'Of the mix', unit: 'fraction', meaning: 'Of the predicted time of all kernels of the mix on this GPU', get: (row) => (time(row) === null || !mix() ? null : time(row) / mix()) },
      { key: 'limiter', heading: 'Limited by', get: (row) => prediction(pairs[row][1], state.target, 0, programs[pairs[row][0]]).limiter, title: (row) => limiterText(prediction(pairs[row][1], state.target, 0, programs[pairs[row][0]]).limiter) }],
  });
  const note = h('p', { class: 'note' });
  const say = () => { note.textContent = `On ${gpuName(state.target)}, by ${programs[0].models[0].name}, each program as often as its weight says. A click on a kernel shows its program.`; };
  say();
  whenChanged((changes) => { if ('target' in changes || 'kernel' in changes) { table.draw(); say(); } });
  return [h('h3', {}, 'Of all programs'), note, h('div', { class: 'controls' }, gpuChooser('mix-gpu')), table.element];
}

function fillKernels(section) {
  if (isMix) section.append(...mixKernels(), h('h3', {}, `Of ${clipped(programs[state.program].name, 80)}`));
  if (kernelCount === 0) {
    section.append(h('p', {}, 'The profile has no kernels.'));
    return;
  }
  const of = (kernel) => prediction(kernel, state.target);
  const notes = (kernel) => {
    const { refused, texts } = notesOf(kernel, state.target);
    return [...texts.map((text) => (refused ? `Not predicted: ${text}` : text)), kernels.notes.get(kernel)].filter(Boolean).join('; ');
  };
  const noteMark = (kernel) => {
    const text = notes(kernel);
    return text ? h('span', { class: 'clip' }, text) : document.createTextNode('');
  };
  const sum = () => total(state.target).duration;
  const rows = [...Array(kernelCount).keys()];
  const some = (get) => rows.some((row) => get(row) !== null && get(row) !== '');
  const someLow = models.some((model) => model.bounded);
  const columns = [
    kernelColumn(),
    { key: 'launches', heading: 'Launches', unit: 'count', get: kernels.launches.get },
    { key: 'measured_s', heading: 'Measured', unit: 's', meaning: `On ${report.gpu}`, get: kernels.measured_s.get },
    { key: 'duration_s', heading: 'Predicted', unit: 's', get: (kernel) => of(kernel).duration },
    ...(someLow ? [{ key: 'low_s', heading: '80 % from', unit: 's', get: (kernel) => of(kernel).low }, { key: 'high_s', heading: 'to', unit: 's', get: (kernel) => of(kernel).high }] : []),
    { key: 'share', heading: 'Share', unit: 'fraction', meaning: 'Of the predicted time of all kernels on this GPU', get: (kernel) => (of(kernel).duration === null || !sum() ? null : of(kernel).duration / sum()) },
    { key: 'limiter', heading: 'Limited by', get: (kernel) => of(kernel).limiter, title: (kernel) => limiterText(of(kernel).limiter) },
    { key: 'per_launch_s', heading: 'Per launch', unit: 's', get: (kernel) => (of(kernel).duration === null ? null : of(kernel).duration / kernels.launches.get(kernel)) },
    { key: 'k_type', heading: 'Type', get: kernels.k_type.get },
    { key: 'notes', heading: 'Notes', get: notes, title: notes, node: noteMark },
  ].filter((column) => column.key !== 'measured_s' || some(column.get));
  const table = makeTable({
    id: 'kernels-table', caption: 'Kernels and their predicted time on the chosen GPU', columns, rows: () => rows, sort: { key: 'duration_s', down: true }, filter: kernelCount > 5,
    rowClass: (kernel) => (kernel === state.kernel ? 'selected' : ''),
    footer: () => {
      const cells = { kernel: 'All kernels', duration_s: forPeople(sum(), 's'), low_s: forPeople(total(state.target).low, 's'), high_s: forPeople(total(state.target).high, 's') };
      const rest = total(state.target).rest;
      const line = (texts, name) => h('tr', { class: name }, columns.map((column, place) => h(place === 0 ? 'th' : 'td', { class: column.unit ? 'n' : 'text', scope: place === 0 ? 'row' : null }, texts[column.key] ?? '')));
      const others = report.kernels_in_profile - kernelCount;
      return [others > 0 ? line({ kernel: `${others} shorter kernels, summed`, duration_s: forPeople(rest, 's') }, 'rest') : null, line(cells, 'total')].filter(Boolean);
    },
  });
  section.append(h('div', { class: 'controls' }, gpuChooser('kernels-gpu'), modelChooser('kernels-model')));
  if (report.kernels_in_profile > kernelCount) {
    section.append(h('p', { class: 'note' }, `The profile has ${inFull(report.kernels_in_profile)} kernels; the ${inFull(kernelCount)} with the most time have rows of their own, the others are summed in the last row and are in every total.`));
  }
  section.append(table.element, limitersChart());
  if (models.length > 1 || report.models_left_out.length) section.append(...everyModel(rows));
  whenChanged((changes) => { if ('target' in changes || 'kernel' in changes || 'model' in changes) table.draw(); });
}

/// All models side by side on the chosen GPU.
function everyModel(rows) {
  const column = (model, place) => ({ key: `${model.name.replaceAll('-', '_')}_s`, heading: model.name, unit: 's', meaning: model.title, get: (kernel) => prediction(kernel, state.target, place).duration,
    title: (kernel) => { const { refused, texts } = notesOf(kernel, state.target, place); return refused ? texts.join('; ') : limiterText(prediction(kernel, state.target, place).limiter); } });
  const table = makeTable({
    id: 'every-model-table', caption: 'What each model predicts for each kernel on the chosen GPU', rows: () => rows, sort: { key: column(models[0]).key, down: true }, filter: kernelCount > 5, page: 10,
    rowClass: (kernel) => (kernel === state.kernel ? 'selected' : ''),
    columns: [kernelColumn(), { key: 'measured_s', heading: 'Measured', unit: 's', meaning: `On ${report.gpu}`, get: kernels.measured_s.get }, ...models.map(column)].filter((one) => one.key !== 'measured_s' || kernels.measured_s.values.some((value) => value !== null)),
  });
  const heading = h('p', { class: 'note' });
  const say = () => { heading.textContent = `On ${gpuName(state.target)}, time of all launches. Empty: the model does not apply; the reason is the cell's tooltip.`; };
  say();
  whenChanged((changes) => { if ('target' in changes || 'kernel' in changes) { table.draw(); say(); } });
  const left = report.models_left_out;
  return [h('h3', {}, 'Every model'), heading, table.element,
    left.length ? h('p', { class: 'note' }, `Not applicable to any of these kernels: ${left.map(({ name, reason }) => `${name} (${reason})`).join('; ')}.`) : null].filter(Boolean);
}

const sumOf = (sum) => [...sum.values()].reduce((a, b) => a + b, 0);

/// Each GPU's time by what limits the kernels.
function limitersChart() {
  const sums = () => {
    const shown = shownTargets().filter((target) => total(target).duration !== null);
    const names = new Set();
    const of = shown.map((target) => {
      const sum = new Map();
      for (let kernel = 0; kernel < kernelCount; ++kernel) {
        const one = prediction(kernel, target);
        if (one.duration === null) continue;
        sum.set(one.limiter, (sum.get(one.limiter) ?? 0) + one.duration);
        names.add(one.limiter);
      }
      return sum;
    });
    return { shown, of, names: Object.keys(limiterLook).filter((name) => names.has(name)) };
  };
  const figure = makeChart({
    id: 'limiters', title: 'Where the time goes, by what limits it',
    about: 'Each bar is the whole predicted time on one GPU, divided by the resource that limits the kernels. Where the colours differ, the bottleneck moves.',
    data() {
      const { shown, of, names } = sums();
      const rows = shown.flatMap((target, place) => names.filter((name) => of[place].has(name)).map((name) => [gpuName(target), name, of[place].get(name), of[place].get(name) / sumOf(of[place])]));
      return { rows: rows.length, columns: [['gpu', 'GPU', ''], ['limiter', 'limited by', ''], ['duration_s', 'time', 's'], ['share', 'share', 'fraction']].map(([key, heading, unit], at) => ({ key, heading, unit, get: (row) => rows[row][at] })) };
    },
    picture(width) {
      const { shown, of, names } = sums();
      if (names.length === 0) return { empty: 'No kernel is predicted on the GPUs that are switched on.' };
      const small = width < 560;
      const traces = names.map((name) => ({
        type: 'bar', orientation: 'h', name: limiterText(name), x: of.map((sum) => (sum.get(name) ?? 0) / sumOf(sum)), y: shown.map((_, place) => place), width: 0.62,
        customdata: shown.map((target) => ({ target })), hoverinfo: 'text', textposition: 'none', text: of.map((sum, place) => hover(gpuName(shown[place]), limiterText(name), `${forPeople(sum.get(name) ?? 0, 's')}, ${forPeople((sum.get(name) ?? 0) / sumOf(sum), 'fraction')}`)),
        marker: { color: limiterLook[name][0], pattern: { shape: limiterLook[name][1], fillmode: 'overlay', fgcolor: 'rgba(255,255,255,.65)', size: 6, solidity: 0.25 }, line: { width: 1, color: css('--card') } },
      }));
      const columns = Math.max(1, Math.floor(width / 220));
      const legend = 24 * Math.ceil(names.length / columns) + 12;
      return {
        traces,
        layout: {
          barmode: 'stack', height: 70 + legend + shown.length * 28, margin: { l: small ? 124 : 220, r: 26, t: legend, b: 48 }, showlegend: true,
          legend: { orientation: 'h', x: small ? -0.4 : 0, y: 1, yanchor: 'bottom', traceorder: 'normal', itemclick: false, itemdoubleclick: false, font: { size: small ? 11 : 12.5 } },
          xaxis: { range: [0, 1], title: 'share of the predicted time', tickmode: 'array', tickvals: [0, 0.25, 0.5, 0.75, 1], ticktext: ['0 %', '25 %', '50 %', '75 %', '100 %'] },
          yaxis: { range: [shown.length - 0.4, -0.6], tickmode: 'array', tickvals: shown.map((_, place) => place), ticktext: shown.map((target) => plotText(fitted(gpuName(target), small ? 112 : 205))), ticks: '', showgrid: false, zeroline: false },
        },
      };
    },
  });
  whenChanged((changes) => { if ('shown' in changes || 'model' in changes) figure.chart.refresh(); });
  return figure;
}
