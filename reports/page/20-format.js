// Numbers for people: four significant digits, an SI prefix and the unit, as on the terminal (reports/format.cpp).

const prefixed = { count: '', s: 's', B: 'B', op: 'op', 'op/s': 'op/s', 'inst/s': 'inst/s', 'B/s': 'B/s', Hz: 'Hz', J: 'J' };
const plain = { number: '', 'op/B': 'op/B', W: 'W', cycles: 'cycles' };
const prefixes = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'],
  [1e-9, 'n'], [1e-12, 'p']];

function significant(value, digits) {
  if (value === 0) return '0';
  const exponent = Number(value.toExponential(digits - 1).split('e')[1]);
  return value.toFixed(Math.min(12, Math.max(0, digits - 1 - exponent)));
}

function forPeople(value, unit, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (unit === 'fraction') return `${(value * 100).toFixed(1)} %`;
  if (unit === 'factor') return `${value.toFixed(2)} ×`;
  if (unit === 'capacity') {
    let at = 0;
    for (; value >= 1024 && at < 4; ++at) value /= 1024;
    return `${Number(value.toPrecision(4))} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][at]}`;
  }
  if (unit === 'count' && Number.isInteger(value) && Math.abs(value) < 10000) return String(value);
  if (unit === 'number' && value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(digits - 1);
  if (unit in plain) return `${significant(value, digits)} ${plain[unit]}`.trimEnd();
  let chosen = [1, ''];
  if (value !== 0) {
    chosen = prefixes.find(([scale]) => Math.abs(value) >= scale * 0.99995) ?? prefixes[prefixes.length - 1];
    if (unit !== 's' && unit !== 'J' && chosen[0] < 1) chosen = [1, ''];
  }
  return `${significant(value / chosen[0], digits)} ${chosen[1]}${prefixed[unit] ?? ''}`.trimEnd();
}

/// Whole numbers with separators, others with all their digits.
function inFull(value) {
  if (typeof value !== 'number') return String(value ?? '');
  return Number.isInteger(value) ? value.toLocaleString('en') : String(value);
}

function cellText(value, unit) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' && unit ? forPeople(value, unit) : String(value);
}

/// RFC 4180; rows of values, unknown ones empty.
function toCsv(keys, rows) {
  const field = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [keys, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function download(name, content, type) {
  const url = typeof content === 'string' && content.startsWith('data:') ? content : URL.createObjectURL(new Blob([content], { type }));
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  if (url.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(url), 10000);
}
/// Of a mix, what is about all programs goes by "mix", the rest by the program that is shown.
const fileName = (what, end) =>
  `${(/^(comparison|pareto|mix|joint|weight|price)/.test(what) && isMix ? 'mix' : report.answer.title).replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 60) || 'report'}-${what.replace(/^mix-/, '')}.${end}`;
