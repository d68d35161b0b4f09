const colours = [
  ['keyword', '#a626a4', '#d19af5'],
  ['string', '#1a7f37', '#98c379'],
  ['string-expression', '#1a7f37', '#98c379'],
  ['comment', '#6a737d', '#8b949e'],
  ['constant', '#9a5b00', '#d9a066'],
  ['function', '#2257c4', '#7aa8f5'],
  ['parameter', '#8a4b00', '#e0b070'],
  ['punctuation', '#4a4a52', '#b0b0b8'],
  ['link', '#2257c4', '#7aa8f5'],
  ['inserted', '#1a7f37', '#98c379'],
  ['deleted', '#b42318', '#f0928a'],
  ['changed', '#2257c4', '#7aa8f5'],
] as const;
const coloured = (index: 1 | 2) => colours.map((colour) => `.t-${colour[0]}{color:${colour[index]}}`).join('');

/**
 * The style of exported chats. On screen it is light or dark as the reader prefers, on paper always light. On paper, no
 * line of code is cut off, headings and table rows aren't separated from what belongs to them, and each chat begins a
 * new page. Whatever begins a page has space above it: ink of a tall font that reached onto the previous page would be
 * drawn, and listed in the outline, twice. Ligatures and tabular figures are off, because text with replaced glyphs
 * can't be found or copied in a PDF.
 */
export const exportStyle = `:root{--ink:#1a1a1e;--soft:#5c5c66;--line:#d4d4da;--code:#f6f6f8;color-scheme:light}
body{font:16px/1.6 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;color:var(--ink);background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:2.5rem 0 .25rem}h1.chat:first-of-type{margin-top:0}
h2{font-size:1rem;margin:0}h3,h4,h5,h6{font-size:1.05rem;line-height:1.35;margin:1.2em 0 .4em}h5,h6{font-size:1rem}
.note{color:var(--soft);font-size:.8rem;margin:0 0 .5rem}.said,.raw{white-space:pre-wrap}.said{margin:0}
section{margin:1.5rem 0}section.you{border-left:3px solid var(--line);padding-left:1rem}
pre,code{font-family:"JetBrains Mono",ui-monospace,Menlo,Consolas,"Noto Sans Mono","Liberation Mono",monospace;font-size:.86em}
pre{padding:.75rem;border:1px solid var(--line);border-radius:6px;background:var(--code);white-space:pre-wrap;-webkit-box-decoration-break:clone;box-decoration-break:clone}pre code{font-size:1em}
table{border-collapse:collapse;max-width:100%;margin:.75rem 0}td,th{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
td.amount,th.amount{text-align:right;font-variant-numeric:tabular-nums}tfoot td{font-weight:600}
blockquote{margin:.75rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
figure{margin:.5rem 0}figure img{max-width:100%;max-height:30rem;border:1px solid var(--line);border-radius:6px}figcaption,.file{color:var(--soft);font-size:.8rem;margin:.25rem 0 0}
math{font-family:"Portico Maths",math}math[display=block]{margin:.75rem 0}${coloured(1)}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e8e8ec;--soft:#a0a0aa;--line:#3a3a42;--code:#1c1c20;color-scheme:dark}body{background:#111113}${coloured(2)}}
@page{margin:18mm 16mm 20mm}
@media print{body{font-variant-ligatures:none;font-size:10.5pt;line-height:1.5;max-width:none;margin:0;padding:0;orphans:3;widows:3;-webkit-print-color-adjust:exact;print-color-adjust:exact}
td.amount,th.amount{font-variant-numeric:normal}h1.chat,h1.costs{break-before:page;margin-top:0;padding-top:.75em}h1.chat:first-of-type{break-before:auto}
h1,h2,h3,h4,h5,h6,.note{break-after:avoid}tr,figure,figure img{break-inside:avoid}thead{display:table-header-group}figure img{max-height:16cm}a{color:inherit}}`;

/** Page numbers for printing in a browser. When the app makes the PDF, it numbers the pages itself. */
export const pageNumbers =
  '@page{@bottom-center{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif;color:#5c5c66}}';
