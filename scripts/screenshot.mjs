// `npm run screenshot` takes the pictures of the README from the built app, with a conversation made for it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { chromium } from './chromium.mjs';

await run(async () => {
  const node = prepare();
  const folder = mkdtempSync(join(tmpdir(), 'portico-screenshot-'));
  const host = spawn(node, [join(root, 'dist', 'main', 'web.js'), '--no-open', '--data-dir', folder], {
    env: environment(node),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { chromium: playwright } = createRequire(import.meta.url)('playwright');
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await playwright.launch({ executablePath: chromium(node), args });
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      locale: 'en-US',
    });
    await page.goto(await link(host));
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('How does the ledger work?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    await page.screenshot({ path: join(root, 'docs', 'screenshot.png'), animations: 'disabled' });
    return 0;
  } finally {
    await browser.close();
    host.kill('SIGTERM');
    await new Promise((resolve) => host.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
});

async function link(host) {
  for await (const line of createInterface(host.stdout)) {
    const found = /http:\/\/\S+/.exec(line);
    if (found) return found[0];
  }
  throw new Error('the web host ended without a link');
}
