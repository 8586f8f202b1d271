// A table that can be sorted, filtered, paged and saved. Columns: {key, heading, unit, get(row), node(row), title(row)};
// `node` makes an element in the place of the formatted value, `plain` columns cannot be sorted, `hidden` ones are saved only.

const tables = [];

function makeTable({ id, caption, columns: all, rows, sort = null, filter = true, page = 15, rowClass = () => '', header = 0, footer = () => [], headings = true }) {
  let order = sort;      // {key, down}
  let needle = '';
  let from = 0;
  let size = page;

  const columns = all.filter((column) => !column.hidden);
  const isNumber = (column) => Boolean(column.unit);
  const head = h('tr', {}, columns.map((column, at) => h('th', { scope: 'col', class: [isNumber(column) ? 'n' : '', at === header ? 'name' : ''].join(' ').trim() || null, 'data-key': column.key, title: column.meaning },
    column.plain ? h('span', {}, column.heading) : h('button', { type: 'button', onclick: () => sortBy(column) }, column.heading))));
  const body = h('tbody');
  const count = h('span', { role: 'status' });
  const back = h('button', { type: 'button', onclick: () => turn(-1) }, 'Previous');
  const next = h('button', { type: 'button', onclick: () => turn(1) }, 'Next');
  const more = h('button', { type: 'button', onclick: () => { size = size === page ? 200 : page; from = 0; draw(); } });
  const search = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': `Filter: ${caption}`, oninput: () => { needle = search.value.toLowerCase(); from = 0; draw(); } });
  const element = h('div', { class: 'table', id },
    filter ? h('div', { class: 'table-tools' }, h('label', {}, search)) : null,
    h('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': `Table: ${caption}` },
      h('table', {}, h('caption', { class: 'visually-hidden' }, caption), headings ? h('thead', {}, head) : null, body)),
    h('div', { class: 'pager' }, count, back, next, more, h('span', { class: 'fill' }),
      h('span', { class: 'exports' }, h('button', { type: 'button', 'data-export': 'csv', 'aria-label': `Save as CSV: ${caption}`, onclick: saveCsv }, 'CSV'))));

  function value(column, row) {
    return column.get(row);
  }
  function sortBy(column) {
    const down = order && order.key === column.key ? !order.down : isNumber(column);
    order = { key: column.key, down };
    from = 0;
    draw();
  }
  function turn(pages) {
    from = Math.max(0, from + pages * size);
    draw();
  }
  /// All rows that the filter lets through, in order; unknown values come last either way.
  function ordered() {
    let chosen = rows();
    if (needle) {
      chosen = chosen.filter((row) => columns.some((column) => cellText(value(column, row), column.unit).toLowerCase().includes(needle)));
    }
    const column = order && columns.find((one) => one.key === order.key);
    if (!column) return chosen;
    const by = new Map(chosen.map((row) => [row, value(column, row)]));
    const known = (x) => x !== null && x !== undefined && x !== '';
    return [...chosen].sort((a, b) => {
      const x = by.get(a), y = by.get(b);
      if (!known(x) || !known(y)) return known(y) - known(x);
      const less = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true });
      return order.down ? -less : less;
    });
  }
  function cell(column, row, at) {
    const content = column.node ? column.node(row) : null;
    const text = content ? null : cellText(value(column, row), column.unit);
    const number = isNumber(column);
    const attributes = { class: number ? 'n' : text !== null && text.length > 30 ? 'text long' : 'text', title: column.title ? column.title(row) : number && typeof value(column, row) === 'number' ? inFull(value(column, row)) : null };
    const inside = content ?? (number ? text : clipped(text, 600));
    return at === header ? h('th', { ...attributes, class: `name ${attributes.class}`, scope: 'row' }, inside) : h('td', attributes, inside);
  }
  function draw() {
    const chosen = ordered();
    if (from >= chosen.length) from = Math.max(0, Math.floor((chosen.length - 1) / size) * size);
    const visible = chosen.slice(from, from + size);
    const focused = body.contains(document.activeElement) ? document.activeElement.closest('tr').dataset.row : null;
    body.replaceChildren(...visible.map((row) => h('tr', { class: rowClass(row) || null, 'data-row': row }, columns.map((column, at) => cell(column, row, at)))),
      ...(from + size >= chosen.length ? footer(chosen) : []));
    if (focused !== null) {  // the element that had the focus was replaced by its like
      const again = [...body.rows].find((row) => row.dataset.row === focused);
      if (again) again.querySelector('button, input')?.focus({ preventScroll: true });
    }
    for (const th of head.children) {
      const sorted = order && order.key === th.dataset.key;
      if (sorted) th.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    }
    const paged = chosen.length > size || from > 0;
    count.textContent = chosen.length === 0 ? 'No rows' : paged ? `Rows ${from + 1} to ${from + visible.length} of ${chosen.length}` :
      needle ? `${chosen.length} ${chosen.length === 1 ? 'row' : 'rows'}` : '';
    back.hidden = next.hidden = !paged;
    back.disabled = from === 0;
    next.disabled = from + size >= chosen.length;
    more.hidden = rows().length <= page;
    more.textContent = size === page ? 'More rows' : 'Fewer rows';
  }
  function saveCsv() {
    const saved = all.filter((column) => column.key);
    download(fileName(id, 'csv'), toCsv(saved.map((column) => column.key), ordered().map((row) => saved.map((column) => value(column, row)))), 'text/csv;charset=utf-8');
  }
  draw();
  const table = { element, draw, print(on) { const kept = size; if (on) { table.kept = kept; size = Math.max(size, 100); } else { size = table.kept ?? page; } draw(); } };
  tables.push(table);
  return table;
}

/// A table of the data as it is. `replace` gives columns that are shown otherwise, by key; null leaves one out.
function tableOf(table, options) {
  const columns = Object.values(columnsOf(table))
    .filter((column) => !(options.replace && options.replace[column.key] === null))
    .filter((column) => column.values.some((value) => value !== null))
    .map((column) => ({ ...column, ...(options.replace ? options.replace[column.key] : {}) }));
  const count = table.columns[0] ? table.columns[0].values.length : 0;
  return makeTable({ ...options, columns, rows: options.rows ?? (() => [...Array(count).keys()]) });
}

/// A kernel's name that highlights it everywhere.
function kernelButton(kernel) {
  return h('button', {
    type: 'button', class: 'kernel', 'aria-pressed': String(state.kernel === kernel), title: clipped(kernels.name.get(kernel), 400),
    onclick: () => { selectKernel(kernel); },
  }, kernelName(kernel, 120));
}
const kernelColumn = (of = (row) => row) =>
  ({ key: 'kernel', heading: 'Kernel', get: (row) => kernels.kernel.get(of(row)), node: (row) => kernelButton(of(row)) });
