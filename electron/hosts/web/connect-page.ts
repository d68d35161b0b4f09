export const connectStylePath = '/connect.css';

/** Shown where a page has no session: how to get in. It runs no script. */
export const connectPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Connect to Portico</title>
<link rel="stylesheet" href="${connectStylePath}">
</head>
<body>
<main>
<h1>This page is not connected to Portico</h1>
<p>Portico lets a browser in by a link that works once and for one minute, so that no other page or program can read your
chats. Yours was used already or is older than that, or this tab has none.</p>
<ol>
<li>Go to the terminal in which Portico runs. A fresh link has just been printed there
(press <kbd>Enter</kbd> in that terminal for another).</li>
<li>Open that link within a minute: it looks like <code>http://127.0.0.1:4310/#b=…</code></li>
</ol>
<p>If Portico was restarted, this tab's old connection has ended: use the new link. If no terminal shows it, end Portico and run
<code>npm start</code> again. Nothing is lost.</p>
</main>
</body>
</html>
`;

/** In the app's own colours. Without its fonts: their names change with every build. */
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
code, kbd { font: 0.9em "JetBrains Mono", ui-monospace, monospace; overflow-wrap: anywhere; }
kbd { border: 1px solid currentColor; border-radius: 4px; padding: 0 0.3em; }
`;
