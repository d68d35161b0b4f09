import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, memo, type ReactNode, useEffect, useState } from 'react';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { getLanguage } from '#shared/markdown/languages.ts';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { LazyBox } from '../long-text/lazy-box.tsx';
import { LazyGroups } from '../long-text/lazy-groups.tsx';
import { TextNodes } from '../long-text/text-nodes.tsx';
import { createScripts, markDrawn } from '../long-text/weight.ts';
import { CodeBlock } from './code/code-block.tsx';
import { Diagram } from './diagram.tsx';
import { Formula } from './formula.tsx';
import { guessedHeight } from './guessed-height.ts';
import { Inline } from './inline.tsx';
import { Table } from './markdown-table.tsx';
import { firstPart } from './parser/first-part.ts';
import { createSlicer, type Slice } from './parser/slices.ts';
import { drawnWeight, isBoxed } from './parser/token-weight.ts';

/** One block of an answer, memoised by its token. */
export const Block = memo(function Block({ token, live }: { token: Token; live: boolean }): ReactNode {
  const known = token as MarkedToken | MathsToken | DetailsToken;
  switch (known.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // Page and message use heading levels 1 and 2. Most answers begin with a heading of level 2.
      return createElement(
        `h${Math.max(3, Math.min(6, known.depth + 1))}`,
        { 'data-level': known.depth },
        <Inline tokens={known.tokens} />,
      );
    case 'paragraph':
      return (
        <p>
          <Inline tokens={known.tokens} />
        </p>
      );
    case 'code':
      if (getLanguage(known.lang ?? '') === 'mermaid' && !live) return <Diagram source={known.text} />;
      return <CodeBlock code={known.text} language={known.lang ?? ''} live={live} />;
    case 'blockquote':
      return (
        <blockquote>
          <Content block={known} live={live} />
        </blockquote>
      );
    case 'list':
      return <List list={known} live={live} />;
    case 'table':
      return <Table table={known} />;
    case 'details':
      return (
        <details>
          {known.summary.length > 0 && (
            <summary>
              <Inline tokens={known.summary} />
            </summary>
          )}
          <Content block={known} live={live} />
        </details>
      );
    case 'hr':
      return <hr />;
    case 'maths':
      return <Formula token={known} />;
    case 'text':
      return <Inline tokens={known.tokens ?? [known]} />;
    case 'html':
      return <Raw text={known.text} />;
    default:
      return <Inline tokens={[token]} />;
  }
});

/** `live`: the last block may still grow. */
export function Blocks({ tokens, live }: { tokens: readonly Token[]; live: boolean }): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever join at the end
    <Block key={at} token={token} live={live && at === tokens.length - 1} />
  ));
}

function Raw({ text }: { text: string }) {
  return (
    <p className="raw">
      <TextNodes text={text} />
    </p>
  );
}

/** What is in a quote or a part to open. */
function Content({ block, live }: { block: Tokens.Blockquote | DetailsToken; live: boolean }) {
  return isBoxed(block) ? <Slices tokens={block.tokens} live={live} /> : <Blocks tokens={block.tokens} live={live} />;
}

function List({ list, live }: { list: Tokens.List; live: boolean }) {
  const Item = isBoxed(list) ? LazyItem : ListItem;
  const items = list.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items only ever join at the end
    <Item key={at} item={item} live={live && at === list.items.length - 1} />
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

interface ItemProps {
  item: Tokens.ListItem;
  live: boolean;
}

/** Memoised by its token: a list that grows or is drawn in parts renders only what is new. */
const ListItem = memo(function ListItem({ item, live }: ItemProps) {
  return (
    <li className={item.task ? 'task' : undefined}>
      <ItemContent item={item} tokens={item.tokens} live={live} />
    </li>
  );
});

/** An item of a long list, which is drawn near the viewport. */
const LazyItem = memo(function LazyItem({ item, live }: ItemProps) {
  const scripts = createScripts();
  const weight = item.tokens.reduce((sum, token) => sum + drawnWeight(token, scripts), 0);
  return (
    <LazyBox
      as="li"
      className={item.task ? 'task' : undefined}
      weight={weight}
      guessPx={() => guessedHeight(item.tokens)}
      of={item}
      first={live}
    >
      {(maxWeight) => {
        const whole = weight <= maxWeight;
        return (
          <ItemContent
            item={item}
            tokens={whole ? item.tokens : firstPart(item.tokens, maxWeight)}
            live={live && whole}
          />
        );
      }}
    </LazyBox>
  );
});

function ItemContent({ item, tokens, live }: ItemProps & { tokens: readonly Token[] }) {
  const [first, ...rest] = tokens;
  if (!item.task || first?.type !== 'checkbox') return <Blocks tokens={tokens} live={live} />;
  return (
    <>
      <Inline tokens={[first]} />
      <div>
        <Blocks tokens={rest} live={live} />
      </div>
    </>
  );
}

/** Blocks, slice by slice near the viewport. `live`: the last may still grow. */
export function Slices({ tokens, live }: { tokens: readonly Token[]; live: boolean }) {
  const [slicer] = useState(createSlicer);
  const slices = slicer(tokens);
  return (
    <LazyGroups
      count={slices.length}
      guessPx={(at) => guessedHeight(slices[at]?.tokens ?? [])}
      box={(at) => {
        const slice = slices[at];
        const last = at === slices.length - 1;
        return slice && <OneSlice key={at} slice={slice} live={live && last} only={slices.length === 1} />;
      }}
    />
  );
}

const OneSlice = memo(function OneSlice({ slice, live, only }: { slice: Slice; live: boolean; only: boolean }) {
  const { tokens, weight } = slice;
  return (
    <LazyBox
      className="prose"
      weight={weight}
      guessPx={() => guessedHeight(tokens)}
      of={tokens[0]}
      first={only || live}
    >
      {(maxWeight) => <DrawnSlice slice={slice} maxWeight={maxWeight} live={live} />}
    </LazyBox>
  );
});

/** The blocks of a slice as far as this weight reaches. */
function DrawnSlice({ slice, maxWeight, live }: { slice: Slice; maxWeight: number; live: boolean }) {
  const { tokens, weight, scripts } = slice;
  const whole = weight <= maxWeight;
  useEffect(() => {
    if (whole) markDrawn(scripts);
  }, [whole, scripts]);
  return <Blocks tokens={whole ? tokens : firstPart(tokens, maxWeight)} live={live && whole} />;
}
