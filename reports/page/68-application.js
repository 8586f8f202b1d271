// The whole application on each GPU: kernels, copies, host and idle time.

function fillApplication(section) {
  const { measured, notes } = report.application;
  const of = columnsOf(report.application.targets);
  const known = (column) => column.values.some((value) => value !== null);
  if (!known(of.transfers_s) && !known(of.gpu_idle_s) && !known(of.host_s)) {
    section.append(h('p', {}, report.transfers.columns[0].values.length
      ? 'The profile knows neither how long its copies took nor a link to scale them by, nor the host\'s time: of the application only the kernels are known.'
      : 'The profile records neither copies between host and GPU nor the host\'s time: of the application only the kernels are known.'));
    return;
  }
  const time = (target) => {
    const kernels_s = total(target).duration;
    const transfers_s = of.transfers_s.get(target), gpu_idle_s = of.gpu_idle_s.get(target), host_s = of.host_s.get(target);
    const total_s = kernels_s === null ? null : kernels_s + (transfers_s ?? 0) + (gpu_idle_s ?? 0) + (host_s ?? 0);
    return { gpu: gpuName(target), kernels_s, transfers_s, transfers_are: of.transfers_are.get(target), gpu_idle_s, host_s, total_s, not_modelled_share: total_s === null || host_s === null ? null : of.not_modelled_s.get(target) / total_s, covered_share: total(target).covered };
  };
  // A total that lacks kernels is no smaller than one that has them.
  const completeFirst = (a, b) => total(a).refused - total(b).refused || (time(a).total_s ?? Infinity) - (time(b).total_s ?? Infinity);
  const here = measured.kernels_s === null ? null : measured.kernels_s + (measured.transfers_s ?? 0) + (measured.gpu_idle_s ?? 0) + (measured.host_s ?? 0);
  const host = hostIs(measured);
  if (here !== null) {
    const of_here = (what, value) => (value === null ? null : `${forPeople(value, 's')} ${what} (${forPeople(value / here, 'fraction')})`);
    section.append(h('p', { id: 'application-here' }, `Measured on ${report.gpu}: ${forPeople(here, 's')}, of which ${[of_here('kernels', measured.kernels_s), of_here('copies', measured.transfers_s), of_here('idle time of the GPU', measured.gpu_idle_s), of_here(host.toLowerCase(), measured.host_s)].filter(Boolean).join(', ')}.`));
  }
  for (const note of notes) section.append(h('p', { class: 'note' }, note));
  const column = (key, heading, unit, more = {}) => ({ key, heading, unit, get: (target) => time(target)[key], ...more });
  const table = makeTable({
    id: 'application-table', caption: 'Time of the whole application on each GPU', rows: () => fastestFirst().sort(completeFirst), filter: targetCount > 8,
    columns: [column('gpu', 'GPU', '', { node: (target) => h('span', {}, swatch(target), gpuName(target)) }), column('kernels_s', 'Kernels', 's'), column('transfers_s', 'Copies', 's'),
      column('transfers_are', 'Copies are', '', { meaning: 'Measured and scaled by the links\' bandwidths; bytes over the link at its bandwidth; or as measured, where a link is not known' }), column('gpu_idle_s', 'GPU idle', 's', { meaning: 'Between the first and the last work of the GPU, when none ran: as on the GPU that was measured' }),
      column('host_s', host, 's', { meaning: `${host === 'Host' ? 'Before the first work of the GPU and after the last' : 'All that is neither kernels nor copies'}: as on the GPU that was measured` }),
      column('total_s', 'Application', 's'), here === null ? null : { key: 'of_measured', heading: 'Speed-up', unit: 'factor', meaning: `Of the application, over ${report.gpu} as measured`, get: (target) => (time(target).total_s === null ? null : here / time(target).total_s) },
      column('not_modelled_share', 'Not modelled', 'fraction', { meaning: 'Share of the application that is taken over unchanged: idle and host time, copies that were not scaled' }), column('covered_share', 'Kernels predicted', 'fraction')]
      .filter((one) => one && [...Array(targetCount).keys()].some((target) => one.get(target) !== null)),
  });
  section.append(h('div', { class: 'controls' }, modelChooser('application-model')), applicationChart(time, completeFirst, here), table.element);
  whenChanged((changes) => { if ('model' in changes) table.draw(); });
}

/// What the host's part is called: with idle time in it where that is not known by itself.
const hostIs = (measured) => (measured.gpu_idle_s === null ? 'Host and idle' : 'Host');

function applicationChart(time, completeFirst, here) {
  const { measured } = report.application;
  const rows = () => [...(here === null ? [] : [{ gpu: `${report.gpu}, measured`, ...measured, total_s: here }]), ...shownTargets().sort(completeFirst).map(time).filter((one) => one.total_s !== null)];
  const kinds = [['kernels_s', 'kernels', '#0072b2', ''], ['transfers_s', 'copies', '#e69f00', '/'], ['gpu_idle_s', 'GPU idle', '#cc79a7', '.'], ['host_s', hostIs(measured).toLowerCase(), '#8c8c8c', '\\']];
  const figure = makeChart({
    id: 'application-chart', title: 'What the application\'s time is made of',
    about: 'Kernels are predicted; copies are scaled by the link; idle and host time are taken over as they were.',
    data() {
      const all = rows();
      const column = (key, heading, unit) => ({ key, heading, unit, get: (row) => all[row][key] ?? null });
      return { rows: all.length, columns: [column('gpu', 'GPU', ''), ...kinds.map(([key, name]) => column(key, name, 's')), column('total_s', 'application', 's')] };
    },
    picture(width) {
      const all = rows();
      if (all.length === 0) return { empty: 'No GPU is switched on.' };
      const small = width < 560;
      const longest = Math.max(...all.map((one) => one.total_s));
      const traces = kinds.filter(([key]) => all.some((one) => one[key])).map(([key, name, colour, shape]) => ({
        type: 'bar', orientation: 'h', name, x: all.map((one) => one[key] ?? 0), y: all.map((_, place) => place), width: 0.62, hoverinfo: 'text', textposition: 'none',
        text: all.map((one) => hover(one.gpu, `${name} ${forPeople(one[key] ?? 0, 's')}, ${forPeople((one[key] ?? 0) / one.total_s, 'fraction')} of ${forPeople(one.total_s, 's')}`)),
        marker: { color: colour, pattern: { shape, fillmode: 'overlay', fgcolor: 'rgba(255,255,255,.65)', size: 6, solidity: 0.25 }, line: { width: 1, color: css('--card') } },
      }));
      return {
        traces,
        layout: {
          barmode: 'stack', height: 66 + 34 + all.length * 28, margin: { l: small ? 124 : 220, r: 16, t: 34, b: 48 }, showlegend: true, legend: { orientation: 'h', x: small ? -0.4 : 0, y: 1, yanchor: 'bottom', traceorder: 'normal', itemclick: false, itemdoubleclick: false, font: { size: small ? 11 : 12.5 } },
          xaxis: { range: [0, longest * 1.04], title: 'time of the application', ...linearTicks(longest, 's', Math.max(3, Math.floor((width - (small ? 140 : 240)) / 90))) },
          yaxis: { range: [all.length - 0.4, -0.6], tickmode: 'array', tickvals: all.map((_, place) => place), ticktext: all.map((one) => plotText(fitted(one.gpu, small ? 112 : 205))), ticks: '', showgrid: false, zeroline: false },
        },
      };
    },
  });
  whenChanged((changes) => { if ('shown' in changes || 'model' in changes) figure.chart.refresh(); });
  return figure;
}
