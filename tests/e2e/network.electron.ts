import { openHttpProxy } from '../support/proxies.ts';
import { expect, test } from './app.ts';

test('the system’s proxy is asked for, and the way to a provider begins there', async ({ launch }) => {
  const proxy = await openHttpProxy();
  const { page } = await launch({ flags: [`--proxy-server=${proxy.url}`] });
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Network' }).click();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const steps = page.getByRole('status').getByRole('list').getByRole('listitem');
  await expect(steps.first()).toHaveText(new RegExp(`Proxy.*${proxy.url}`));
  await expect(steps.nth(1)).toHaveText(/Connection.*127\.0\.0\.1/);
  await proxy.close();
});
