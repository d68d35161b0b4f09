import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { booked, dollars } from './money.ts';

test('a model searches the web where the chat lets it; its sources are shown and each search is on the bill', async ({
  launch,
}) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  const search = page.getByRole('button', { name: /^Search the web/ });
  await expect(search).toHaveCount(0);
  await chooseModel(page, 'Sandbox Tools');
  await expect(search).toHaveAccessibleName(/off \(\$0\.0005 a search\)/);
  await search.focus();
  await page.keyboard.press('Enter');
  await expect(search).toHaveAccessibleName(/on \(/);
  await expect(search).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What is new in porticos?');
  const quote = page.getByRole('button', { name: /seldom over/ });
  await quote.click();
  await expect(page.getByRole('dialog')).toContainText(/Up to.*web search.*1 search/i);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Send' }).click();
  const answer = articles(page).nth(1);
  await ended(answer);
  await answer.getByText('2 sources on the web').click();
  const sources = answer.getByRole('list').last();
  await expect(sources.getByRole('link', { name: 'Simulated page one' })).toHaveAttribute(
    'href',
    'https://example.com/simulated/one',
  );
  await expect(sources.getByRole('listitem').last()).toContainText('The second would say it in other words');
  await expectNoFault(page, 'sources');
  const bill = answer.getByRole('button', { name: /billed/ });
  const cost = dollars(await bill.textContent());
  await bill.click();
  await expect(page.getByRole('dialog')).toContainText(/Web search.*1 search/);
  await page.keyboard.press('Escape');

  await page.reload();
  await expect(articles(page).nth(1).getByRole('link', { name: 'Simulated page two' })).toBeVisible();
  // Another model of the chat cannot: the button says so, and nothing is searched.
  await chooseModel(page, 'Sandbox Echo');
  await expect(page.getByRole('button', { name: /^Sandbox Echo cannot search the web/ })).toBeVisible();
  await ask(page, 'And now?');
  await ended(articles(page).nth(3));
  await expect(
    articles(page)
      .nth(3)
      .getByRole('button', { name: /sources/ }),
  ).toHaveCount(0);
  expect(await booked(page, 'Sandbox Tools', 1)).toBe(-cost);
});
