// Makes tables sortable by a click on a heading, and long ones filterable. Without it, the page is the same otherwise.
(() => {
  'use strict';

  // A cell that spans columns has a reason in place of values.
  const cell = (row, column) => {
    let at = 0;
    for (const one of row.cells) {
      if (at === column && one.colSpan === 1) return one;
      at += one.colSpan;
    }
    return null;
  };

  const compare = (a, b, column, sign) => {
    const [one, other] = [cell(a, column), cell(b, column)];
    const empty = of => of === null || of.textContent === '–';
    if (empty(one) || empty(other)) return empty(one) - empty(other);
    const [x, y] = [one.dataset.value, other.dataset.value];
    if (x !== undefined && y !== undefined) return sign * (x - y);
    return sign * one.textContent.localeCompare(other.textContent, 'en', { numeric: true });
  };

  const sortable = (table, rows) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        heads.forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending');
        table.tBodies[0].append(...rows.slice().sort((a, b) => compare(a, b, column, sign)));
      });
    });
  };

  const filterable = (table, rows) => {
    const input = document.createElement('input');
    input.type = 'search';
    input.placeholder = 'Rows with these words';
    input.setAttribute('aria-label', input.placeholder);
    input.addEventListener('input', () => {
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach(row => { row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word)); });
    });
    table.parentElement.before(input);
  };

  for (const table of document.querySelectorAll('table')) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length > 1) sortable(table, rows);
    if (rows.length > 8) filterable(table, rows);
  }
})();
