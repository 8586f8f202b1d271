// GPUs for a mix of programs: the ranking, with weights and prices that the reader may change, and the front of price
// against time.

function fillComparison(section) {
  const given = report.comparison;
  const of = columnsOf(given.ranking);
  const parts = columnsOf(given.programs);
  const all = [...Array(of.gpu.rows).keys()];
  const programs = [...given.names.keys()];
  const weights = [...given.weights];
  const prices = all.map(of.price.get);
  const weighed = () => weights.some((weight, program) => weight !== given.weights[program]);
  const anew = () => weighed() || prices.some((price, row) => price !== of.price.get(row));
  const part = (program, row, key) => parts[key].get(program * of.gpu.rows + row);

  /// The ranking's columns with the weights and prices as they stand now, as reports/comparison.cpp computes them.
  function ranked() {
    if (!anew()) return all.map((row) => Object.fromEntries(Object.keys(of).map((key) => [key, of[key].get(row)])));
    const { mixes_per_s: rate, deadline_s: deadline, per_kwh: tariff, lifetime_s: lifetime, utilisation } = given.terms;
    const sum = (row, key) => programs.reduce((so_far, program) => (so_far === null || part(program, row, key) === null ? null : so_far + part(program, row, key) * weights[program] / given.weights[program]), 0);
    const now = all.map((row) => {
      const one = Object.fromEntries(Object.keys(of).map((key) => [key, of[key].get(row)]));
      const time = sum(row, 'duration_s');
      one.price = prices[row];
      if (time === null) return one;
      const longer = time / one.duration_s;
      Object.assign(one, { duration_s: time, mixes_per_kilojoule: one.mixes_per_kilojoule && one.mixes_per_kilojoule / longer, energy_per_mix_j: one.energy_per_mix_j && one.energy_per_mix_j * longer });
      if (weighed()) Object.assign(one, { low_s: sum(row, 'low_s'), high_s: sum(row, 'high_s'), probability_fastest: null, speed_up_low: null, speed_up_high: null });
      const count = rate !== null ? rate * time : deadline !== null ? time / deadline : null;
      if (count !== null) {
        one.gpus_needed = Math.max(1, Math.ceil(count - 1e-9));
        one.nodes_needed = Math.ceil(one.gpus_needed / given.gpus_per_node[row] - 1e-9);
      }
      one.mixes_per_hour_and_1000 = one.price > 0 ? 3.6e6 / time / one.price : null;
      one.cost_per_mix = one.price > 0 && lifetime !== null ? one.price * time / lifetime / utilisation + (tariff !== null && one.energy_per_mix_j ? tariff * one.energy_per_mix_j / 3.6e6 : 0) : null;
      return one;
    });
    const base = given.owned === null ? null : now[given.owned].duration_s;
    const competes = (row) => given.candidate[row] && now[row].price > 0;
    for (const row of all) {
      if (now[row].speed_up !== null && base !== null) now[row].speed_up = base / now[row].duration_s;
      now[row].pareto = now[row].price > 0 ? competes(row) && !all.some((other) => competes(other) && now[other].price <= now[row].price && now[other].duration_s <= now[row].duration_s &&
        (now[other].price < now[row].price || now[other].duration_s < now[row].duration_s)) : null;
    }
    return now;
  }
  let now = ranked();
  const order = () => [...all].sort((a, b) => given.candidate[b] - given.candidate[a] || (now[a].duration_s ?? Infinity) - (now[b].duration_s ?? Infinity) || a - b);

  const summary = h('ul', { class: 'details' });
  const changed = h('p', { class: 'note', role: 'status' });
  const reset = h('button', { type: 'button', id: 'comparison-reset', onclick: () => { weights.splice(0, weights.length, ...given.weights); all.forEach((row) => { prices[row] = of.price.get(row); }); for (const input of inputs) input.value = given.weights[input.dataset.program]; compute(); } }, 'As given');
  const inputs = programs.length < 2 ? [] : programs.map((program) => h('input', { type: 'number', min: '0', step: 'any', value: weights[program], 'data-program': program, 'aria-label': `Weight of ${given.names[program]}`,
    onchange: (event) => { const value = Number(event.target.value); if (value >= 0 && Number.isFinite(value)) weights[program] = value; else event.target.value = weights[program]; if (weights.every((weight) => weight === 0)) { weights[program] = given.weights[program]; event.target.value = weights[program]; } compute(); } }));
  function say() {
    const best = order().find((row) => given.candidate[row]);
    const money = order().filter((row) => given.candidate[row] && now[row].mixes_per_hour_and_1000).sort((a, b) => now[b].mixes_per_hour_and_1000 - now[a].mixes_per_hour_and_1000)[0];
    const texts = !anew() ? given.summary : [best === undefined ? 'No GPU is left.' : `Fastest: ${now[best].gpu}, ${forPeople(now[best].duration_s, 's')}.`, money === undefined ? null : `Most for the money: ${now[money].gpu}.`].filter(Boolean);
    summary.replaceChildren(...texts.map((text) => h('li', {}, text)));
    changed.textContent = anew() ? `Weights or prices were changed here.${weighed() ? ' Chances and the intervals of speed-ups are known for the given weights alone.' : ''} The sentences on sensitivity below are about the given ones.` : '';
    reset.hidden = !anew();
  }
  function compute() {
    now = ranked();
    say();
    table.draw();
    figure.chart.refresh();
  }

  const column = (key, heading, more = {}) => ({ ...of[key], heading, get: (row) => now[row][key], ...more });
  const between = (low, high, text) => (low === null || low === undefined ? null : h('small', {}, `${text(low)} – ${text(high)}`));
  const price = (row) => h('input', { type: 'number', min: '0', step: 'any', class: 'amount', value: prices[row], 'data-price': row, 'aria-label': `Price of ${now[row].gpu}`, onchange: (event) => {
    const value = event.target.value === '' ? null : Number(event.target.value);
    prices[row] = value === null || value > 0 ? value : prices[row];
    compute();
  } });
  const known = (key) => all.some((row) => of[key].get(row) !== null);
  const money = given.currency ? `${given.currency}` : '';
  const columns = [
    column('gpu', 'GPU', { node: (row) => h('span', {}, given.target[row] === null ? swatchOf('transparent') : swatch(given.target[row]), now[row].gpu) }),
    column('duration_s', 'Time of a mix', { node: (row) => h('span', {}, forPeople(now[row].duration_s, 's'), between(now[row].low_s, now[row].high_s, (value) => forPeople(value, 's', 3))) }),
    column('low_s', '80 % from', { hidden: true }), column('high_s', 'to', { hidden: true }),
    column('speed_up', 'Speed-up', { meaning: `Over ${given.owned === null ? 'the GPU that is owned' : of.gpu.get(given.owned)}, with its 80 % interval`, hidden: !known('speed_up'), node: (row) => h('span', {}, now[row].speed_up === null ? '' : forPeople(now[row].speed_up, 'factor'), between(now[row].speed_up_low, now[row].speed_up_high, (value) => value.toFixed(2))) }),
    column('speed_up_low', '80 % from', { hidden: true }), column('speed_up_high', 'to', { hidden: true }),
    column('probability_fastest', 'Chance first', { meaning: 'The chance to be the fastest of those that are not ruled out', hidden: !known('probability_fastest') }),
    column('price', `Price ${money}`.trim(), { meaning: 'Of one GPU with its share of the node; change it to see what follows', node: price }),
    column('mixes_per_hour_and_1000', `Mixes/h per 1000 ${money}`.trim(), { meaning: 'Throughput for the money' }),
    column('pareto', 'Pareto', { meaning: 'Nothing is both cheaper and faster', node: (row) => document.createTextNode(now[row].pareto ? 'front' : '') }),
    column('cost_per_mix', `Cost per mix ${money}`.trim(), { hidden: !known('cost_per_mix') }),
    column('energy_per_mix_j', 'Energy per mix', { unit: 'J', meaning: 'With node and building; an upper bound where the power is the TDP', hidden: !known('energy_per_mix_j') }),
    column('mixes_per_kilojoule', 'Mixes/kJ', { hidden: !known('mixes_per_kilojoule') }),
    column('power_w', 'Power', { hidden: !known('power_w'), node: (row) => h('span', {}, now[row].power_w === null ? '' : forPeople(now[row].power_w, 'W'), now[row].power_is === null ? null : h('small', {}, now[row].power_is)) }), column('power_is', 'power is', { hidden: true }),
    column('gpus_needed', 'GPUs needed', { hidden: !known('gpus_needed') }), column('nodes_needed', 'Nodes', { hidden: !known('nodes_needed') }),
    column('memory_byte', 'Memory', { node: (row) => h('span', {}, now[row].memory_byte === null ? '' : forPeople(now[row].memory_byte, 'capacity'), now[row].fits === null ? null : h('small', {}, now[row].fits ? 'suffices' : 'too small')) }), column('fits', 'fits', { hidden: true }),
    column('covered_share', 'Predicted', { meaning: 'Share of the workload that could be predicted', hidden: all.every((row) => of.covered_share.get(row) >= 1) }),
    column('rates', 'Rates are'),
    column('status', 'Notes'),
  ];
  const table = makeTable({ id: 'comparison-table', caption: 'GPUs compared for the mix', columns, rows: order, page: 15, filter: all.length > 8, rowClass: (row) => (row === order().find((one) => given.candidate[one]) ? 'best' : '') });
  const figure = paretoChart(given, all, () => now);
  section.append(summary);
  if (inputs.length) {
    section.append(h('div', { class: 'controls weights' }, h('span', { class: 'note' }, given.weights_are_hours ? 'Hours of each program:' : 'How often each program runs:'), inputs.map((input, program) => h('label', {}, `${clipped(given.names[program], 40)} ×`, input))));
  }
  section.append(h('div', { class: 'controls' }, reset), changed, table.element, figure);
  for (const key of ['joint_sensitivity', 'weight_sensitivity', 'price_sensitivity']) {
    if (given[key].columns[0].values.length === 0) continue;
    section.append(h('h3', {}, given[key].title), tableOf(given[key], { id: key.replace('_', '-'), caption: given[key].title, filter: false, page: 10 }).element);
  }
  section.append(h('h3', {}, 'What these figures mean'), h('ul', {}, given.notes.map((text) => h('li', {}, text))));
  say();
  whenChanged((changes) => { if ('shown' in changes) table.draw(); });
}

/// Price against time: the GPUs that nothing cheaper beats are joined by a line.
function paretoChart(given, all, now) {
  const rows = () => all.filter((row) => now()[row].price > 0 && now()[row].duration_s !== null);
  const colour = (row) => (given.target[row] === null || !given.candidate[row] ? '#8c8c8c' : colourOf(given.target[row]));
  return makeChart({
    id: 'pareto', title: 'Price against time',
    about: 'One mark per GPU with a price; down and left is better. Those on the line are the Pareto front: nothing is both cheaper and faster. Bars are 80 % intervals; grey, open: ruled out.',
    data() {
      const which = rows();
      const column = (key, heading, unit) => ({ key, heading, unit, get: (row) => now()[which[row]][key] });
      return { rows: which.length, columns: [column('gpu', 'GPU', ''), column('price', 'price', 'number'), column('duration_s', 'time', 's'), column('low_s', '80 % from', 's'), column('high_s', 'to', 's'), column('pareto', 'Pareto', '')] };
    },
    picture(width) {
      const which = rows();
      if (which.length === 0) return { empty: 'No GPU has a price: type prices into the table above, or give a list of them (gpuproj report --prices FILE).' };
      const of = now();
      const small = width < 560;
      const money = which.map((row) => of[row].price), low = Math.min(...which.map((row) => of[row].low_s ?? of[row].duration_s)), high = Math.max(...which.map((row) => of[row].high_s ?? of[row].duration_s));
      const cheapest = Math.min(...money), dearest = Math.max(...money);
      const log = { x: dearest / cheapest > 6, y: high / low > 6 };
      const range = { x: log.x ? [cheapest / 1.4, dearest * 1.4] : [0, dearest * 1.12], y: log.y ? [low / 1.2, high * 1.2] : [0, high * 1.06] };
      const front = which.filter((row) => of[row].pareto).sort((a, b) => of[a].price - of[b].price);
      const traces = front.length < 2 ? [] : [{ type: 'scatter', mode: 'lines', name: 'front', x: front.map((row) => of[row].price), y: front.map((row) => of[row].duration_s), hoverinfo: 'skip', line: { color: css('--soft'), width: 1.5, dash: 'dash', shape: 'hv' } }];
      traces.push(...which.map((row) => ({
        type: 'scatter', mode: 'markers', name: 'GPU', x: [of[row].price], y: [of[row].duration_s], customdata: [given.target[row] === null ? {} : { target: given.target[row] }], hoverinfo: 'text',
        text: [hover(of[row].gpu, `${given.currency} ${inFull(of[row].price)}`.trim(), `${forPeople(of[row].duration_s, 's')}${of[row].low_s === null ? '' : `, 80 % from ${forPeople(of[row].low_s, 's', 3)} to ${forPeople(of[row].high_s, 's', 3)}`}`, of[row].pareto ? 'on the Pareto front' : null, of[row].status || null)],
        error_y: of[row].low_s === null ? undefined : { type: 'data', symmetric: false, array: [of[row].high_s - of[row].duration_s], arrayminus: [of[row].duration_s - of[row].low_s], color: colour(row), thickness: 1.5, width: 0 },
        marker: { size: of[row].pareto ? 13 : 9, color: colour(row), symbol: `${given.target[row] === null ? 'circle' : symbolOf(given.target[row])}${given.candidate[row] ? '' : '-open'}`, line: { width: given.candidate[row] ? 1 : 2, color: given.candidate[row] ? css('--card') : colour(row) } },
      })));
      const labels = [...front, ...which.filter((row) => !of[row].pareto)].slice(0, small ? 10 : 40).map((row) => ({ x: of[row].price, y: of[row].duration_s, text: clipped(of[row].gpu.replace(/^(NVIDIA|GeForce|AMD|Radeon) /, ''), small ? 14 : 24) }));
      const axis = (name, unit, most) => (log[name] ? { type: 'log', range: range[name].map(Math.log10), ...logTicks(...range[name], unit, most) } : { range: range[name], ...linearTicks(range[name][1], unit, most) });
      return {
        traces, labels,
        layout: {
          height: small ? 360 : 460, margin: { l: small ? 70 : 84, r: 16, t: 14, b: 50 },
          xaxis: { ...axis('x', 'number', small ? 4 : 8), title: `price${given.currency ? `, ${clipped(given.currency, 12)}` : ''}` },
          yaxis: { ...axis('y', 's', 7), title: small ? '' : 'time of a mix' },
        },
      };
    },
  });
}
