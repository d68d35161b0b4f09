import { html } from 'hono/html';
import type { Language } from '#shared/language/messages.ts';
import { pageText } from './page-text.ts';

export const connectStylePath = '/connect.css';

/** Shown to a page without a session: how to connect. It has no scripts. */
export async function connectPage(language: Language, url: string): Promise<string> {
  const { title, heading, why, terminal, open, restarted } = pageText(language).connect;
  return String(
    await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${connectStylePath}">
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${why}</p>
<ol>
<li>${terminal}</li>
<li>${open} <code>${url}#b=…</code></li>
</ol>
<p>${restarted}</p>
</main>
</body>
</html>
`,
  );
}

/** The app’s colours, without its fonts, whose names change with every build. */
export const connectStyle = `
:root { color-scheme: light dark; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; box-sizing: border-box;
  background: light-dark(#ffffff, #111113); color: light-dark(#1c1c1f, #ededef);
  font: 15px/1.6 Inter, system-ui, sans-serif;
}
main { max-width: 36rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; }
li { margin: 0.5rem 0; }
code { font: 0.9em "JetBrains Mono", ui-monospace, monospace; overflow-wrap: anywhere; }
`;
