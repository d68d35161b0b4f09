import { Code, Workflow } from 'lucide-react';
import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, memo, type ReactNode, useEffect, useState } from 'react';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { getLanguage } from '#shared/markdown/languages.ts';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { useDark } from '../browser/use-dark.ts';
import { LazyBox } from '../long-text/lazy-box.tsx';
import { LazyGroups } from '../long-text/lazy-groups.tsx';
import { getLines } from '../long-text/long-text.tsx';
import { TextNodes } from '../long-text/text-nodes.tsx';
import {
  createScripts,
  itemBoxWeight,
  markDrawn,
  type Scripts,
  sliceWeight,
  toTextNodes,
} from '../long-text/weight.ts';
import { markdownText as words } from '../text/markdown-text.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';
import { ScrollGroup } from '../ui/elements/scroll-group.tsx';
import { CodeBlock } from './code/code-block.tsx';
import { type Drawing, diagrams } from './diagrams.ts';
import { Formula } from './formula.tsx';
import { Inline } from './inline.tsx';
import { Table } from './markdown-table.tsx';
import { drawnWeight, elementWeight, isBoxed } from './parser/token-weight.ts';

/** A diagram as an image, with a button for its source. If it cannot be rendered, shows its source and the reason. */
function Diagram({ source }: { source: string }) {
  const [asCode, setAsCode] = useState(false);
  const drawing = useDrawing(source);
  const toggle = (
    <IconButton
      icon={asCode ? Workflow : Code}
      label={asCode ? words.showDiagram : words.showSource}
      size="sm"
      onClick={() => setAsCode(!asCode)}
    />
  );
  if (!drawing || 'problem' in drawing)
    return (
      <CodeBlock code={source} language="mermaid" live={false} note={drawing && words.notDrawn(drawing.problem)} />
    );
  if (asCode) return <CodeBlock code={source} language="mermaid" live={false} tools={toggle} />;
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="flex-1 text-fg-2">{words.diagram}</span>
        {toggle}
      </div>
      <ScrollGroup label={words.diagram} className="diagram-scroll">
        <img
          src={drawing.url}
          width={drawing.width}
          height={drawing.height}
          // Shrinks to fit, but at most to half its size; then it scrolls.
          style={{ maxWidth: `max(100%, ${Math.round(drawing.width / 2)}px)`, height: 'auto' }}
          alt={words.diagramAlt(getKind(source))}
        />
      </ScrollGroup>
    </div>
  );
}

function useDrawing(source: string): Drawing | null {
  const dark = useDark();
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  useEffect(() => {
    let here = true;
    void diagrams.draw(source, dark).then((drawn) => here && setDrawing(drawn));
    return () => {
      here = false;
    };
  }, [source, dark]);
  return drawing;
}

/** Returns the diagram type: the first word that isn't configuration, such as `sequenceDiagram` or `flowchart`. */
const getKind = (source: string): string =>
  /^\s*([A-Za-z][\w-]*)/m.exec(source.replace(/^---[\s\S]*?^---/m, '').replace(/%%.*$/gm, ''))?.[1] ?? '';

/** Blocks that are rendered together; see `lazy-box.tsx`. */
interface Slice {
  readonly tokens: readonly Token[];
  readonly weight: number;
  /** Scripts whose fonts are loaded when the slice is drawn. */
  readonly scripts: Scripts;
}

/**
 * Returns a function that groups blocks into slices of at most the allowed weight. A heavier block gets its own slice.
 * When a document grows, unchanged slices keep their identity, and only new blocks are weighed.
 */
export function createSlicer(): (tokens: readonly Token[]) => readonly Slice[] {
  let slices: readonly Slice[] = [];
  return (tokens) => {
    const unchanged: Slice[] = [];
    let position = 0;
    for (const slice of slices.slice(0, -1)) {
      if (!hasTokensAt(tokens, position, slice.tokens)) break;
      unchanged.push(slice);
      position += slice.tokens.length;
    }
    const last = slices[unchanged.length];
    slices = [...unchanged, ...divided(tokens.slice(position))].map((slice, index) =>
      index === unchanged.length && last && isSame(slice, last) ? last : slice,
    );
    return slices;
  };
}

const noScripts: Scripts = new Set();

function divided(tokens: readonly Token[]): Slice[] {
  const slices: { tokens: Token[]; weight: number; scripts: Scripts }[] = [];
  let scripts = createScripts();
  const known = scripts.size;
  for (const token of tokens) {
    const weight = drawnWeight(token, scripts);
    let last = slices.at(-1);
    if (last && last.weight + weight <= sliceWeight) {
      last.tokens.push(token);
      last.weight += weight;
    } else {
      last = { tokens: [token], weight, scripts: noScripts };
      slices.push(last);
    }
    if (scripts.size === known) continue;
    // Each slice counts its own fonts, because any of them may be drawn first.
    last.scripts = new Set([...last.scripts, ...[...scripts].slice(known)]);
    scripts = createScripts();
  }
  return slices;
}

const hasTokensAt = (tokens: readonly Token[], from: number, wanted: readonly Token[]): boolean =>
  from + wanted.length <= tokens.length && wanted.every((token, index) => token === tokens[from + index]);

const isSame = (slice: Slice, other: Slice): boolean =>
  slice.tokens.length === other.tokens.length && hasTokensAt(slice.tokens, 0, other.tokens);

/** What may still be drawn. `full` means that something did not fit, so nothing after it is drawn either. */
interface Space {
  left: number;
  full: boolean;
  readonly scripts: Scripts;
}

/**
 * Returns the beginning of the blocks up to this weight, in document order and of the same kinds. Tokens that fit whole
 * stay the same objects, so that a larger part only adds to what is drawn.
 */
export const firstPart = (tokens: readonly Token[], maxWeight: number): readonly Token[] =>
  takeAll(tokens, { left: maxWeight, full: false, scripts: new Set() });

/** Returns the token, its beginning, or null if no part of it fits. */
function take(token: Token, space: Space): Token | null {
  const scripts = new Set(space.scripts);
  const weight = drawnWeight(token, scripts);
  if (weight <= space.left) {
    space.left -= weight;
    for (const script of scripts) space.scripts.add(script);
    return token;
  }
  const beginning = takeBeginning(token, space);
  space.full = true;
  return beginning;
}

function takeBeginning(token: Tokens.Generic, space: Space): Token | null {
  if (token.type === 'list' && isBoxed(token)) {
    const items = (token as Tokens.List).items.slice(0, Math.floor(space.left / itemBoxWeight));
    return { ...token, items, isPart: true };
  }
  if (token.type === 'image' || token.type === 'table' || token.type === 'list' || isBoxed(token)) return null;
  space.left -= elementWeight(token);
  if (token.tokens) return { ...token, tokens: takeAll(token.tokens, space) };
  if (!['text', 'html', 'codespan'].includes(token.type)) return null;
  const text = toTextNodes(String(token.text), space.left, space.scripts).join('');
  return text === '' ? null : { ...token, raw: token.raw, text };
}

/** Returns the tokens in order, up to the first that doesn't fit. */
function takeAll(tokens: readonly Token[], space: Space): Token[] {
  const taken: Token[] = [];
  for (const token of tokens) {
    const some = take(token, space);
    if (some !== null) taken.push(some);
    if (space.full) break;
  }
  return taken;
}

/** Line height in pixels and letters per line, as in `prose.css`. */
const line = { heightPx: 24, letters: 95 };
const code = { linePx: 20, aroundPx: 94 };
const rowPx = 37;

/** Estimates the height of blocks in pixels until they have been rendered. */
const guessedHeight = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, token) => sum + blockHeight(token as MarkedToken | DetailsToken), 0);

function blockHeight(token: MarkedToken | DetailsToken): number {
  switch (token.type) {
    // Collapsed at first.
    case 'details':
      return line.heightPx + 12;
    case 'space':
    case 'def':
      return 0;
    case 'code':
      return token.text.split('\n').length * code.linePx + code.aroundPx;
    case 'table':
      return (token.rows.length + 1) * rowPx;
    case 'list':
      return token.items.reduce((sum, item) => sum + guessedHeight(item.tokens) - 8, 12);
    case 'blockquote':
      return guessedHeight(token.tokens ?? []);
    default:
      return getLines((token as Tokens.Generic).text ?? token.raw, line.letters) * line.heightPx + 12;
  }
}

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

/** Renders blocks. With `live`, the last block may still grow. */
export function Blocks({ tokens, live }: { tokens: readonly Token[]; live: boolean }): ReactNode {
  return tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
    <Block key={index} token={token} live={live && index === tokens.length - 1} />
  ));
}

function Raw({ text }: { text: string }) {
  return (
    <p className="raw">
      <TextNodes text={text} />
    </p>
  );
}

/** The content of a quote or a collapsible part. */
function Content({ block, live }: { block: Tokens.Blockquote | DetailsToken; live: boolean }) {
  return isBoxed(block) ? <Slices tokens={block.tokens} live={live} /> : <Blocks tokens={block.tokens} live={live} />;
}

function List({ list, live }: { list: Tokens.List; live: boolean }) {
  const Item = isBoxed(list) ? LazyItem : ListItem;
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only appended
    <Item key={index} item={item} live={live && index === list.items.length - 1} />
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

interface ItemProps {
  item: Tokens.ListItem;
  live: boolean;
}

/** Memoised by its token, so that a list that grows or is drawn in parts renders only new items. */
const ListItem = memo(function ListItem({ item, live }: ItemProps) {
  return (
    <li className={item.task ? 'task' : undefined}>
      <ItemContent item={item} tokens={item.tokens} live={live} />
    </li>
  );
});

/** An item of a long list, which is rendered only near the viewport. */
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

/** Blocks rendered slice by slice near the viewport. With `live`, the last block may still grow. */
export function Slices({ tokens, live }: { tokens: readonly Token[]; live: boolean }) {
  const [slicer] = useState(createSlicer);
  const slices = slicer(tokens);
  return (
    <LazyGroups
      count={slices.length}
      guessPx={(index) => guessedHeight(slices[index]?.tokens ?? [])}
      box={(index) => {
        const slice = slices[index];
        const last = index === slices.length - 1;
        return slice && <OneSlice key={index} slice={slice} live={live && last} only={slices.length === 1} />;
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

/** The blocks of a slice, up to this weight. */
function DrawnSlice({ slice, maxWeight, live }: { slice: Slice; maxWeight: number; live: boolean }) {
  const { tokens, weight, scripts } = slice;
  const whole = weight <= maxWeight;
  useEffect(() => {
    if (whole) markDrawn(scripts);
  }, [whole, scripts]);
  return <Blocks tokens={whole ? tokens : firstPart(tokens, maxWeight)} live={live && whole} />;
}
