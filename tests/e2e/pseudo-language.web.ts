import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, test } from './app.ts';
import { places } from './places.ts';
import { begin, inPseudoLanguage } from './pseudo-words.ts';
import { keep } from './stored.ts';

/**
 * In the pseudo-language every message of the catalogues stands in brackets. Text outside brackets is either data or a
 * word that was forgotten in the code.
 */

const question = 'Tell me about the ledger';

test('in another language no word of the app is left in English', async ({ launch, folder }) => {
  const dataFolder = await inPseudoLanguage(folder);
  const port = await takePort();
  keep(dataFolder, 'gateway.local', { enabled: true, port });
  const { page } = await launch({ dataFolder });
  await expect(page.locator('html[lang]')).toBeVisible();
  const { left, walk } = await begin({ page, dataFolder }, [question]);
  await walk.button('Try it now').click();
  await walk.choose('Sandbox Tour');
  await walk.message.fill(question);
  await walk.button('Send').click();
  await walk.button('Regenerate').waitFor();
  const chat = new URL(page.url()).hash;
  for (const view of [chat, ...places]) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await page.locator('main h1, main [role=log], main textarea').first().waitFor();
    if (view === '#settings/gateway') await expect(page.getByText(`⟦Port ${port} `)).toBeVisible();
    await walk.read(view);
  }
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog').waitFor();
  await walk.read('palette');
  expect(left).toEqual({});
});

const taken: Server[] = [];
test.afterEach(() => {
  for (const server of taken.splice(0)) server.close();
});

/** Returns a port that another program uses. */
async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  taken.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
