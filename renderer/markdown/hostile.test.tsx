import { Toast } from '@base-ui/react/toast';
import { afterEach, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { hostileMarkdown } from '../../tests/support/hostile-markdown.ts';
import { Blocks } from './block.tsx';
import { loadKatex } from './load-katex.ts';
import { lexWhole } from './parser/parse-documents.ts';

afterEach(cleanup);

const origin = 'https://evil.example';
const words =
  'div span p h3 h4 h5 h6 pre code strong em del blockquote ul ol li table thead tbody tr th td hr br a sub sup kbd details summary';
const controls = 'button input svg path rect circle line polyline';
const maths =
  'math semantics annotation menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover';
const ours = new Set(`${words} ${controls} ${maths}`.split(' '));

/** Returns why an element isn't one of the app's own, or an empty text if it is. */
function foreign(element: Element): string {
  if (!ours.has(element.localName)) return 'the element';
  for (const { name, value } of element.attributes) {
    if (/^(on.*|src.*|(form)?action|background|ping|poster|xlink.*|data)$/.test(name)) return `an attribute ${name}`;
    if (name === 'href' && !/^(https?:\/\/|mailto:)/.test(value)) return `the address ${value}`;
    if (name === 'style' && /url|image|expression|@|\\/i.test(value)) return `the style ${value}`;
    if (name === 'id' && !/^(_r_|base-ui-|:r)/.test(value)) return `the id ${value}`;
  }
  if (element.localName === 'a' && element.querySelector('a, button')) return 'a link around a link';
  return element.localName === 'input' && element.getAttribute('type') !== 'checkbox' ? 'a field' : '';
}

/** Generous, because this takes a minute on a busy machine. It only ends a hang. */
const limitMs = 240_000;

test(
  '1,600 hostile texts are drawn with known elements only, and none runs code, navigates or sends a request',
  async () => {
    await loadKatex();
    const before = location.href;
    // Draws each payload in three fifths of its places, because React is the slowest part here.
    const texts = hostileMarkdown(origin).filter((_, index) => index % 5 < 3);
    for (let index = 0; index < texts.length; index += 300) {
      const some = texts.slice(index, index + 300);
      const { container, unmount } = await render(
        <Toast.Provider>
          {some.map((text) => (
            <section key={text} aria-label={text}>
              <Blocks tokens={lexWhole(text)} live={false} />
            </section>
          ))}
        </Toast.Provider>,
      );
      await expect.poll(() => container.children.length).toBe(some.length);
      for (const section of container.children) {
        const found = [...section.querySelectorAll('*')].flatMap((element) => {
          const why = foreign(element);
          return why ? [`${why}: ${element.outerHTML}`] : [];
        });
        expect(found, section.getAttribute('aria-label') ?? '').toEqual([]);
      }
      await unmount();
    }
    expect('pwned' in globalThis).toBe(false);
    expect(location.href).toBe(before);
    expect(performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(origin))).toEqual([]);
  },
  limitMs,
);
