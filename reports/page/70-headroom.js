// What the kernels could still gain on the GPU they ran on.

function fillHeadroom(section) {
  const given = report.headroom;
  const of = columnsOf(given.kernels);
  const losses = columnsOf(given.losses);
  const leftOut = columnsOf(given.left_out);
  const count = of.kernel.rows;
  if (given.measured) section.append(h('p', {}, `Times are those measured on ${given.gpu}.`));
  const part = (what, value) => (value === null || value === 0 ? null : `${what} ${forPeople(value, 's')} (${forPeople(value / given.application_s, 'fraction')})`);
  const parts = [part('kernels', given.kernels_s), part('copies', given.transfers_s), part('idle time of the GPU', given.gpu_idle_s), part(given.gpu_idle_s === null ? 'host and idle' : 'host', given.host_s)].filter(Boolean);
  if (parts.length > 1) section.append(h('p', { id: 'headroom-application' }, `The application's ${forPeople(given.application_s, 's')}: ${parts.join(', ')}. Shares and speed-ups below are of the whole.`));
  section.append(h('ul', { class: 'details' }, given.notes.map((text) => h('li', {}, text))));
  if (count === 0) {
    section.append(h('p', { class: 'note' }, leftOut.kernel.rows ? `Not known: ${leftOut.reason.get(0)}.` : 'No kernels.'));
    return;
  }
  const rowOf = new Map([...Array(count).keys()].map((row) => [of.kernel.get(row), row]));
  section.append(headroomChart(of, count));
  const table = makeTable({
    id: 'headroom-table', caption: 'Headroom of the kernels, by application time saved', rows: () => [...Array(count).keys()], filter: count > 5, page: 10,
    rowClass: (row) => (of.kernel.get(row) === state.kernel ? 'selected' : ''),
    columns: [kernelColumn((row) => of.kernel.get(row)), { ...of.time_s, heading: 'Time', title: (row) => `${inFull(of.time_s.get(row))} s, ${of.measured.get(row) ? 'measured' : 'predicted'}` }, { ...of.bound_s, heading: 'Lower bound' },
      { ...of.bound_is, heading: 'Bound by', title: (row) => limiterText(of.bound_is.get(row)) }, { ...of.factor, heading: 'Headroom', meaning: 'Time over lower bound' }, { ...of.share, heading: 'Share', meaning: 'Of the application time' },
      { ...of.saved_s, heading: 'Saved at the bound' }, { ...of.speed_up, heading: 'Application', meaning: 'Speed-up of the whole application then (Amdahl)' }],
  });
  section.append(table.element);
  if (leftOut.kernel.rows) section.append(h('p', { class: 'note' }, `${leftOut.kernel.rows === 1 ? 'One kernel is' : `${leftOut.kernel.rows} kernels are`} left out: ${leftOut.reason.get(0)}${new Set([...Array(leftOut.kernel.rows).keys()].map(leftOut.reason.get)).size > 1 ? ', and other reasons' : ''}.`));

  const places = new Map();
  for (let row = 0; row < losses.kernel.rows; ++row) {
    const kernel = losses.kernel.get(row);
    if (!places.has(kernel)) places.set(kernel, []);
    places.get(kernel).push(row);
  }
  if (places.size === 0) return;
  const chosen = () => (places.has(state.kernel) ? state.kernel : [...places.keys()][0]);
  const detail = makeTable({
    id: 'losses-table', caption: 'What the loss of the chosen kernel is made of', rows: () => places.get(chosen()), filter: false, page: 20,
    columns: [{ ...losses.loss, heading: 'Loss' }, { ...losses.ideal, heading: 'If this were ideal' }, { ...losses.if_ideal_s, heading: 'Time then' }, { ...losses.saved_s, heading: 'Saved' },
      { key: 'advice', heading: 'Advice', get: (row) => losses.advice.get(row) ?? (losses.reason.get(row) ? `not known: ${losses.reason.get(row)}` : null) }],
  });
  section.append(h('h3', {}, 'What the loss is made of'), h('p', { class: 'note' }, 'One thing made ideal at a time, all else as it is. Losses overlap: they do not add up.'),
    h('div', { class: 'controls' }, kernelChooser('headroom-kernel', [...places.keys()], chosen)), detail.element);
  whenChanged((changes) => { if ('kernel' in changes) { table.draw(); detail.draw(); } });
}

function headroomChart(of, count) {
  const most = 12;
  const rows = () => {
    const first = [...Array(Math.min(count, most)).keys()];
    const marked = [...Array(count).keys()].find((row) => of.kernel.get(row) === state.kernel);
    return marked !== undefined && marked >= most ? [...first, marked] : first;
  };
  const figure = makeChart({
    id: 'headroom-chart', title: 'Time that could be saved',
    about: 'The blue part of a bar is the shortest time that the busiest resource allows, the striped part is what could be saved; most to save on top.',
    data() {
      const all = rows();
      return { rows: all.length, columns: Object.values(of).map((column) => ({ ...column, get: (row) => (column.key === 'kernel' ? kernels.name.get(of.kernel.get(all[row])) : column.get(all[row])) })) };
    },
    picture(width) {
      const all = rows();
      const small = width < 560;
      const longest = Math.max(...all.map((row) => Math.max(of.time_s.get(row), of.bound_s.get(row))));
      const bar = (name, x, marker, text) => ({ type: 'bar', orientation: 'h', name, x: all.map(x), y: all.map((_, place) => place), width: 0.62, customdata: all.map((row) => ({ kernel: of.kernel.get(row) })), hoverinfo: 'text', textposition: 'none', text: all.map(text),
        marker: { ...marker, opacity: all.map((row) => (state.kernel === null || of.kernel.get(row) === state.kernel ? 1 : 0.4)), line: { width: 1, color: css('--card') } } });
      const text = (row) => hover(kernelName(of.kernel.get(row)), `${forPeople(of.time_s.get(row), 's')} ${of.measured.get(row) ? 'measured' : 'predicted'}`, `lower bound ${forPeople(of.bound_s.get(row), 's')} (${of.bound_is.get(row)})`, `headroom ${forPeople(of.factor.get(row), 'factor')}, application ${forPeople(of.speed_up.get(row), 'factor')}`);
      return {
        traces: [bar('lower bound', (row) => Math.min(of.bound_s.get(row), of.time_s.get(row)), { color: '#0072b2' }, text),
          bar('could be saved', (row) => Math.max(0, of.time_s.get(row) - of.bound_s.get(row)), { color: '#e69f00', pattern: { shape: '/', fillmode: 'overlay', fgcolor: 'rgba(255,255,255,.65)', size: 6, solidity: 0.25 } }, text)],
        layout: {
          barmode: 'stack', height: 66 + 34 + all.length * 28, margin: { l: small ? 124 : 220, r: 16, t: 34, b: 48 }, showlegend: true, legend: { orientation: 'h', x: 0, y: 1, yanchor: 'bottom', traceorder: 'normal', itemclick: false, itemdoubleclick: false },
          xaxis: { range: [0, longest * 1.04], title: 'time of all launches', ...linearTicks(longest, 's', Math.max(3, Math.floor((width - (small ? 140 : 240)) / 90))) },
          yaxis: { range: [all.length - 0.4, -0.6], tickmode: 'array', tickvals: all.map((_, place) => place), ticktext: all.map((row) => plotText(fitted(kernelName(of.kernel.get(row)), small ? 112 : 205))), ticks: '', showgrid: false, zeroline: false },
        },
      };
    },
  });
  whenChanged((changes) => { if ('kernel' in changes) figure.chart.refresh(); });
  return figure;
}
