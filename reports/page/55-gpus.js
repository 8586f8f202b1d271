// The self-check, and the table of GPUs that switches them on and off.

function fillSelfCheck(section) {
  const given = report.self_check;
  if (given.reason) {
    section.append(h('p', {}, `Not possible: ${given.reason}.`));
    return;
  }
  const of = columnsOf(given);
  const rows = () => [...Array(of.kernel.rows).keys()].filter((row) => of.model.get(row) === models[state.model].name);
  const known = () => rows().filter((row) => of.predicted_s.get(row) !== null);
  const distance = (row) => (of.predicted_s.get(row) === null ? -1 : Math.abs(Math.log(of.predicted_s.get(row) / of.measured_s.get(row))));
  const isOff = (row) => distance(row) > Math.log(2);
  // What is far off, and why, comes first.
  const said = h('div', { class: 'said' });
  const say = () => said.replaceChildren(...selfCheckText(of, known(), known().filter(isOff)));
  say();
  section.append(h('div', { class: 'controls' }, modelChooser('self-check-model')), said);
  if (known().length >= 3) section.append(selfCheckChart(of, known));
  const table = tableOf(given, {
    id: 'self-check-table', caption: `Predicted and measured time on ${report.gpu}`, rowClass: (row) => (of.kernel.get(row) === state.kernel ? 'selected' : ''),
    filter: kernelCount > 10, rows: () => rows().sort((a, b) => distance(b) - distance(a)),
    replace: {
      kernel: kernelColumn((row) => of.kernel.get(row)),
      model: { hidden: true },
      error: { node: (row) => h('span', { class: isOff(row) ? 'warn' : null }, of.error.get(row) === null ? '' : `${of.error.get(row) > 0 ? '+' : ''}${forPeople(of.error.get(row), 'fraction')}${isOff(row) ? ' (more than 2 ×)' : ''}`) },
      limiter: { title: (row) => limiterText(of.limiter.get(row)) },
      likely_reason: { heading: 'likely reason' },
    },
  });
  section.append(table.element);
  whenChanged((changes) => { if ('model' in changes) say(); if ('kernel' in changes || 'model' in changes) table.draw(); });
}

function selfCheckText(of, known, off) {
  const within = known.filter((row) => Math.abs(of.error.get(row)) <= 0.25).length;
  const said = [h('p', {}, known.length === 0 ? 'No kernel could be predicted on its own GPU.' :
    `${within} of ${known.length} predictions are within 25 % of the measured time, ${off.length} off by more than a factor of 2.`)];
  const why = new Map();  // likely reason -> kernels
  for (const row of off) {
    // "2.4 x too fast: a short launch": kernels with the same reason stand together, each with how far it is off.
    const given = of.likely_reason.get(row) ?? ': no likely reason is known';
    const [how, reason] = [given.slice(0, given.indexOf(': ')), given.slice(given.indexOf(': ') + 2)];
    why.set(reason, [...(why.get(reason) ?? []), `${kernelName(of.kernel.get(row), 40)}${how ? ` (${how})` : ''}`]);
  }
  const names = (which) => which.slice(0, 3).join(', ') + (which.length > 3 ? ` and ${which.length - 3} more` : '');
  if (why.size) {
    const most = 8;
    const list = [...why].sort((a, b) => b[1].length - a[1].length);
    said.push(h('p', {}, 'Likely reasons:'), h('ul', { id: 'likely-reasons' }, list.slice(0, most).map(([reason, which]) => h('li', {}, h('strong', {}, names(which)), `: ${reason}`)),
      list.length > most ? h('li', {}, `${list.length - most} more in the table below.`) : null));
  }
  return said;
}

function selfCheckChart(of, rows) {
  let known = [];  // as drawn or saved last
  const column = (key, heading, unit, get) => ({ key, heading, unit, get: (row) => get(known[row]) });
  const figure = makeChart({
    id: 'self-check-chart', title: 'Predicted against measured time',
    about: 'On the line a prediction is exact; in the band it is off by less than a factor of 2. Both axes are logarithmic.',
    data: () => { known = rows(); return { rows: known.length, columns: [column('kernel', 'kernel', '', (row) => kernels.kernel.get(of.kernel.get(row))), column('measured_s', 'measured', 's', of.measured_s.get), column('predicted_s', 'predicted', 's', of.predicted_s.get)] }; },
    picture(width) {
      known = rows();
      if (known.length === 0) return { empty: 'This model predicts none of the measured kernels.' };
      const all = known.flatMap((row) => [of.measured_s.get(row), of.predicted_s.get(row)]).filter((value) => value > 0);
      const low = Math.min(...all) / 2, high = Math.max(...all) * 2;
      const range = [Math.log10(low), Math.log10(high)];
      const small = width < 560;
      const ticks = logTicks(low, high, 's', small ? 5 : 8);
      const line = (factor, dash, colour, fill) => ({ type: 'scatter', mode: 'lines', x: [low, high], y: [low * factor, high * factor], hoverinfo: 'skip', line: { color: colour, width: dash ? 1 : 1.5, dash }, fill, fillcolor: 'rgba(0,114,178,.07)' });
      const size = known.map((row) => (of.kernel.get(row) === state.kernel ? 16 : 10));
      const labels = [...known].sort((a, b) => (of.kernel.get(b) === state.kernel) - (of.kernel.get(a) === state.kernel) || Math.abs(Math.log(of.predicted_s.get(b) / of.measured_s.get(b))) - Math.abs(Math.log(of.predicted_s.get(a) / of.measured_s.get(a))))
        .slice(0, small ? 8 : 30).map((row) => ({ x: of.measured_s.get(row), y: of.predicted_s.get(row), text: kernelName(of.kernel.get(row), 22), colour: css('--soft') }));
      return {
        labels,
        traces: [line(0.5, 'dot', css('--line')), line(2, 'dot', css('--line'), 'tonexty'), line(1, undefined, css('--soft')), {
          type: 'scatter', mode: 'markers', name: 'kernels', x: known.map(of.measured_s.get), y: known.map(of.predicted_s.get), customdata: known.map((row) => ({ kernel: of.kernel.get(row) })),
          hoverinfo: 'text', text: known.map((row) => hover(kernelName(of.kernel.get(row)), `measured ${forPeople(of.measured_s.get(row), 's')}`, `predicted ${forPeople(of.predicted_s.get(row), 's')}`, `limited by ${limiterText(of.limiter.get(row))}`)),
          marker: { size, color: known.map((row) => (of.kernel.get(row) === state.kernel ? '#d55e00' : '#0072b2')), line: { width: 1, color: css('--card') } },
        }],
        layout: { height: small ? 340 : 420, margin: { l: 74, r: 16, t: 10, b: 50 }, xaxis: { type: 'log', range, title: `measured on ${report.gpu}`, ...ticks }, yaxis: { type: 'log', range, title: 'predicted', ...ticks } },
      };
    },
  });
  whenChanged((changes) => { if ('kernel' in changes || 'model' in changes) figure.chart.refresh(); });
  return figure;
}

function fillGpus(section) {
  const best = () => fastestFirst()[0];
  const bounds = () => {
    const which = state.shown.size ? [...state.shown] : [...Array(targetCount).keys()];
    const of = which.map((target) => total(target)).filter((one) => one.duration > 0);
    if (of.length === 0) return [1, 2];
    return [Math.min(...of.map((one) => one.low ?? one.duration)), Math.max(...of.map((one) => one.high ?? one.duration))];
  };
  const range = (target) => {
    const of = total(target);
    if (of.low === null || of.duration === null) return document.createTextNode('');
    const [least, most] = bounds();
    const place = (value) => `${Math.min(100, Math.max(0, 100 * Math.log(value / least) / (Math.log(most / least) || 1))).toFixed(2)}%`;
    return h('span', {}, `${forPeople(of.low, 's', 3)} – ${forPeople(of.high, 's', 3)}`,
      h('span', { class: 'range', 'aria-hidden': 'true', style: '' }, bar(place(of.low), place(of.high)), dot(place(of.duration), colourOf(target))));
  };
  const styled = (tag, style) => { const element = h(tag); Object.assign(element.style, style); return element; };
  const bar = (low, high) => styled('i', { left: low, width: `calc(${high} - ${low})` });
  const dot = (at, colour) => styled('b', { left: at, background: colour });
  const box = (target) => h('input', {
    type: 'checkbox', 'aria-label': `Show ${gpuName(target)} in the charts`, 'data-target': target, checked: state.shown.has(target),
    onchange: (event) => show([target], event.target.checked),
  });
  function show(which, on) {
    const shown = new Set(state.shown);
    for (const target of which) on ? shown.add(target) : shown.delete(target);
    change({ shown });
  }
  const chance = report.answer.chance ?? [];
  const compared = report.by_target ? columnsOf(report.by_target) : null;
  const ofAnswer = (column) => (target) => (state.model === 0 ? column.get(target) : null);  // known of the answering model alone
  const some = (get) => [...Array(targetCount).keys()].some((target) => get(target) !== null && get(target) !== undefined);
  const columns = [
    { key: 'shown', heading: 'Show', plain: true, get: (target) => state.shown.has(target), node: box },
    { key: 'gpu', heading: 'GPU', get: gpuName, node: (target) => h('span', {}, swatch(target), gpuName(target)) },
    { key: 'duration_s', heading: 'Time', unit: 's', get: (target) => total(target).duration },
    { key: 'low_s', heading: '80 % interval', unit: 's', get: (target) => total(target).low, node: range },
    { key: 'of_fastest', heading: 'Of fastest', unit: 'factor', get: (target) => (total(target).duration === null || total(best()).duration === null ? null : total(target).duration / total(best()).duration) },
    !compared && some((target) => chance[target]) ? { key: 'chance_first_is_faster', heading: 'First is faster', unit: 'fraction', meaning: 'The chance that the first GPU is really faster than this one', get: (target) => (target === report.answer.best || state.model !== 0 ? null : chance[target]) } : null,
    ...(compared ? [{ ...compared.probability_fastest, get: ofAnswer(compared.probability_fastest), heading: 'Chance first', meaning: 'The chance to be the fastest of all GPUs compared' },
      { ...compared.speed_up, get: ofAnswer(compared.speed_up), heading: 'Speed-up', meaning: `Over ${report.gpu}, with its 80 % interval`, node: (target) => (ofAnswer(compared.speed_up)(target) === null ? document.createTextNode('') : h('span', {}, forPeople(compared.speed_up.get(target), 'factor'),
        compared.speed_up_low.get(target) === null ? null : h('small', {}, `${compared.speed_up_low.get(target).toFixed(2)} – ${compared.speed_up_high.get(target).toFixed(2)}`))) },
    ] : []),
    some((target) => total(target).refused || null) ? { key: 'covered_share', heading: 'Predicted', unit: 'fraction', meaning: 'Share of the workload that could be predicted', get: (target) => total(target).covered } : null,
    { key: 'rates', heading: 'Rates are', get: targets.rates.get },
    { key: 'architecture', heading: 'Architecture', get: targets.architecture.get },
    { ...targets.dram_bandwidth_byte_per_s, heading: 'DRAM', unit: 'B/s' },
    { ...targets.memory_byte, heading: 'Memory', unit: 'capacity' },
    { ...targets.tdp_w, heading: 'TDP', unit: 'W' },
  ].filter((column) => column && (column.key === 'shown' || column.key === 'gpu' || some(column.get)));
  const table = makeTable({
    id: 'gpus-table', caption: 'GPUs, their predicted time and what is known of them', columns, header: 1, page: 15, filter: targetCount > 8,
    rows: () => fastestFirst(), rowClass: (target) => (target === best() ? 'best' : ''),
  });
  const said = h('span', { class: 'note', role: 'status' });
  const say = () => { said.textContent = `${state.shown.size} of ${targetCount} GPUs are in the charts.`; };
  section.append(h('div', { class: 'controls' }, modelChooser('gpus-model'),
    h('button', { type: 'button', id: 'show-fastest', onclick: () => change({ shown: new Set(fastestFirst().slice(0, 8)) }) }, 'Fastest 8'),
    h('button', { type: 'button', id: 'show-all', onclick: () => show([...Array(targetCount).keys()], true) }, 'All'),
    h('button', { type: 'button', id: 'show-none', onclick: () => change({ shown: new Set() }) }, 'None'), said), table.element);
  if (isMix) section.append(totalsChart());
  say();
  whenChanged((changes) => { if ('shown' in changes || 'model' in changes) { table.draw(); say(); } });
}
const swatch = (target) => swatchOf(colourOf(target));
