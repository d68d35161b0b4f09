// `npm run icons` redraws the images of the app's icon from build/icon.svg. electron-builder makes its .icns and .ico
// from the largest. Linux desktops look for files of their own sizes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run, say } from './bootstrap.mjs';
import { headlessChromium } from './chromium.mjs';

/** The path of each image, and its width and height in pixels. */
const pictures = [
  ['build/icon.png', 1024],
  ['electron/hosts/electron/tray.png', 32],
  ...[16, 24, 32, 48, 64, 128, 256, 512].map((size) => [`build/icons/${size}x${size}.png`, size]),
];

await run(async () => {
  const executablePath = headlessChromium(prepare());
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const svg = readFileSync(join(root, 'build', 'icon.svg'), 'utf8');
  for (const [file, size] of pictures) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
    await page.screenshot({ path: join(root, file), omitBackground: true });
    await page.close();
    say(`drew ${file}`);
  }
  await browser.close();
  return 0;
});
