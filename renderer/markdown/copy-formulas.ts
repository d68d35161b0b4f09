let listening = false;

/** From now on a copied selection has formulas as MathML for documents and as TeX for plain text. */
export function copyFormulas(): void {
  if (listening) return;
  listening = true;
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (event.defaultPrevented || !event.clipboardData || !selection || selection.rangeCount === 0) return;
    const range = wholeFormulas(selection.getRangeAt(0));
    const copied = range.cloneContents();
    const formulas = [...copied.querySelectorAll('.katex')];
    if (formulas.length === 0) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', asPlainText(copied.cloneNode(true) as DocumentFragment));
    for (const formula of formulas) formula.replaceWith(...formula.querySelectorAll('math'));
    const holder = document.createElement('div');
    holder.append(copied);
    event.clipboardData.setData('text/html', holder.innerHTML);
  });
}

/** A formula that is selected in part is copied whole. */
function wholeFormulas(selected: Range): Range {
  const range = selected.cloneRange();
  const formulaOf = (node: Node) => (node instanceof Element ? node : node.parentElement)?.closest('.katex');
  const first = formulaOf(range.startContainer);
  const last = formulaOf(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

/** The text as it would be laid out, with line ends between blocks. */
function asPlainText(copied: DocumentFragment): string {
  for (const formula of copied.querySelectorAll('.katex')) {
    const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? '';
    const sign = formula.closest('.katex-display') || formula.querySelector('math[display="block"]') ? '$$' : '$';
    formula.replaceWith(`${sign}${tex}${sign}`);
  }
  const holder = document.createElement('div');
  holder.className = 'prose diagram-frame';
  holder.style.visibility = 'visible';
  holder.setAttribute('aria-hidden', 'true');
  holder.append(copied);
  document.body.append(holder);
  const text = holder.innerText;
  holder.remove();
  return text;
}
