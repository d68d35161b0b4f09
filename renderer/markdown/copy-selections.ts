let listening = false;

/**
 * Replaces the browser's copy of selected answers by their content only. It omits the window's colours, the headers of
 * code blocks, buttons and figures. Formulas become MathML for documents and TeX for plain text. Active from the first
 * call on.
 */
export function copySelections(): void {
  if (listening) return;
  listening = true;
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (event.defaultPrevented || !event.clipboardData || !selection || selection.rangeCount === 0) return;
    const range = selection.getRangeAt(0);
    if (range.collapsed || !containsAnswer(range)) return;
    const copied = copiedRange(range);
    event.preventDefault();
    event.clipboardData.setData('text/html', copied.rich);
    event.clipboardData.setData('text/plain', copied.plain);
  });
}

/** The two forms of a copy: for plain text fields, and as HTML for documents. */
export interface Copied {
  readonly plain: string;
  readonly rich: string;
}

/** Returns the content of a range as it is copied. */
export function copiedRange(range: Range): Copied {
  const copied = bareCopy(wholeFormulas(range));
  return { plain: asPlainText(copied), rich: copied.innerHTML };
}

/** True if a part of an answer is selected. */
function containsAnswer(range: Range): boolean {
  const around = getElement(range.commonAncestorContainer);
  if (around?.closest('.prose')) return true;
  return [...(around?.querySelectorAll('.prose') ?? [])].some((prose) => range.intersectsNode(prose));
}

/** Elements that nobody means to copy. */
const notCopied = '.code-head, header > :not(h2), footer, button, svg, img, textarea, input:not([type=checkbox])';
/** Elements that documents need around their rows and items, or else they lose the content. */
const shells = 'table, thead, tbody, tr, ol, ul';
const copiedAttributes = new Set(['href', 'rel', 'start', 'align', 'open']);

/** Extends a selection so that it contains formulas whole. */
function wholeFormulas(selected: Range): Range {
  const range = selected.cloneRange();
  const first = getElement(range.startContainer)?.closest('.katex');
  const last = getElement(range.endContainer)?.closest('.katex');
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

export const getElement = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement);

/** Returns the selected part as bare elements, without anything outside the conversation. */
function bareCopy(range: Range): HTMLElement {
  const around = getElement(range.commonAncestorContainer);
  const content = range.cloneContents();
  const thread = content.querySelector('[role=log]');
  const copied = document.createElement('div');
  if (thread) copied.append(...thread.childNodes);
  else copied.append(around ? withShells(content, around) : content);
  for (const part of copied.querySelectorAll(notCopied)) part.remove();
  for (const formula of copied.querySelectorAll('.katex')) formula.replaceWith(...formula.querySelectorAll('math'));
  for (const box of copied.querySelectorAll('input')) box.replaceWith(box.checked ? '☑ ' : '☐ ');
  for (const words of copied.querySelectorAll('.whitespace-pre-wrap')) breakLines(words);
  for (const element of copied.querySelectorAll('*')) if (!element.closest('math')) bare(element);
  return copied;
}

/**
 * Wraps a partial selection in its `pre`, table or list, because code needs `pre` for its line breaks, and rows and
 * items need their parent.
 */
function withShells(content: DocumentFragment, around: Element): Node {
  let inner: Node = content;
  const put = (shell: Element) => {
    shell.append(inner);
    inner = shell;
  };
  if (around.closest('code')) put(document.createElement('code'));
  if (around.closest('pre') && content.textContent?.includes('\n')) put(document.createElement('pre'));
  for (let parent: Element | null = around; parent?.matches(shells); parent = parent.parentElement)
    put(parent.cloneNode(false) as Element);
  return inner;
}

/** Converts line breaks that only CSS shows into elements. */
function breakLines(words: Element): void {
  const texts = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) found.push(texts.currentNode as Text);
  for (const text of found) {
    const lines = text.data.split('\n');
    text.replaceWith(...lines.flatMap((line, index) => (index === 0 ? [line] : [document.createElement('br'), line])));
  }
}

/** Removes attributes that only the window's styles and scripts use, and adds what documents need. */
function bare(element: Element): void {
  const level = element.getAttribute('data-level');
  const align = element.getAttribute('data-align');
  if (align) element.setAttribute('align', align);
  if (element instanceof HTMLDetailsElement) element.open = true;
  for (const name of element.getAttributeNames()) if (!copiedAttributes.has(name)) element.removeAttribute(name);
  if (level) {
    const heading = document.createElement(`h${Number(level)}`);
    heading.append(...element.childNodes);
    element.replaceWith(heading);
  } else if (element.matches('span, li > div, pre div')) element.replaceWith(...element.childNodes);
}

/** Returns the text as it would be laid out, with line breaks between blocks. */
function asPlainText(copied: HTMLElement): string {
  const laidOut = copied.cloneNode(true) as HTMLElement;
  for (const formula of laidOut.querySelectorAll('math')) {
    const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? '';
    const sign = formula.getAttribute('display') === 'block' ? '$$' : '$';
    formula.replaceWith(`${sign}${tex}${sign}`);
  }
  laidOut.className = 'prose diagram-frame';
  laidOut.style.visibility = 'visible';
  laidOut.setAttribute('aria-hidden', 'true');
  document.body.append(laidOut);
  const text = laidOut.innerText;
  laidOut.remove();
  return text;
}
