/** Shown where a page has no session: how to get in. No script, no style but the browser's own. */
export const connectPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Connect to Portico</title>
</head>
<body>
<main>
<h1>This page is not connected to Portico</h1>
<p>Portico lets a browser in by a link that works once, so that no other page or program can read your chats.</p>
<ol>
<li>Go to the terminal in which Portico runs. A fresh link has just been printed there
(press <kbd>Enter</kbd> in that terminal to print it again).</li>
<li>Open that link: it looks like <code>http://127.0.0.1:4310/#b=…</code></li>
</ol>
<p>If Portico was restarted, this tab's old connection has ended: use the new link. Nothing is lost.</p>
</main>
</body>
</html>
`;
