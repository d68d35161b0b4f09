import { test } from './app.ts';
import { expectDrawn } from './drawn.ts';

test("formulas and diagrams are drawn under the page's own policy and load nothing", async ({ app }) => {
  await expectDrawn(app.page);
});
