import '../styles/theme.css';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { Button } from '../elements/button.tsx';
import { Notice } from './notice.tsx';

test.each([480, 260])(
  'the icon of a notice is level with its first line, even next to a button (%i wide)',
  async (width) => {
    await render(
      <div style={{ width }}>
        <Notice tone="warn" actions={<Button>Look at it</Button>}>
          <p>The bill is not what its price says.</p>
        </Notice>
      </div>,
    );
    const sentence = page.getByText('The bill is not what its price says.');
    await expect.element(sentence).toBeVisible();
    const words = sentence.element();
    const sign = document.querySelector('svg');
    const line = new Range();
    line.selectNodeContents(words);
    const [first] = line.getClientRects();
    const icon = sign?.getBoundingClientRect();
    if (!first || !icon) throw new Error('both are there');
    const middle = ({ top, bottom }: DOMRect) => (top + bottom) / 2;
    expect(Math.abs(middle(icon) - middle(first))).toBeLessThanOrEqual(1.5);
    expect(icon.right).toBeLessThan(first.left);
  },
);
