// How elements are made. Texts of the data reach the document as text nodes and attribute values only, never as HTML.

/// An element; `attributes` may hold on-handlers, null and false leave an attribute out; children are nodes or texts.
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/// One column of a table of the data, by its key: get(row) gives its value, a text or a number or null.
function columnsOf(table) {
  const columns = {};
  for (const column of table.columns) {
    const { words, values } = column;
    column.get = words ? (row) => (values[row] === null ? null : words[values[row]]) : (row) => values[row];
    column.rows = values.length;
    columns[column.key] = column;
  }
  return columns;
}

function clipped(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
