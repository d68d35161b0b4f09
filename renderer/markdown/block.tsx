import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, memo, type ReactNode } from 'react';
import type { DetailsToken } from '#shared/markdown/elements.ts';
import { languageOf } from '#shared/markdown/languages.ts';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { shownText } from '../long-text/shown-text.ts';
import { markdownText as words } from '../text/markdown-text.ts';
import { ScrollGroup } from '../ui/elements/scroll-group.tsx';
import { CodeBlock } from './code/code-block.tsx';
import { Diagram } from './diagram.tsx';
import { Formula } from './formula.tsx';
import { Inline } from './inline.tsx';

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
      if (languageOf(known.lang ?? '') === 'mermaid' && !live) return <Diagram source={known.text} />;
      return <CodeBlock code={known.text} language={known.lang ?? ''} live={live} />;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={known.tokens} live={live} />
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
          <Blocks tokens={known.tokens} live={live} />
        </details>
      );
    case 'hr':
      return <hr />;
    case 'maths':
      return <Formula token={known} />;
    case 'text':
      return <Inline tokens={known.tokens ?? [known]} />;
    case 'html':
      return <p className="raw">{shownText(known.text)}</p>;
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

function List({ list, live }: { list: Tokens.List; live: boolean }) {
  const items = list.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items only ever join at the end
    <li key={at} className={item.task ? 'task' : undefined}>
      <ListItem item={item} live={live && at === list.items.length - 1} />
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function ListItem({ item, live }: { item: Tokens.ListItem; live: boolean }) {
  const [first, ...rest] = item.tokens;
  if (!item.task || first?.type !== 'checkbox') return <Blocks tokens={item.tokens} live={live} />;
  return (
    <>
      <Inline tokens={[first]} />
      <div>
        <Blocks tokens={rest} live={live} />
      </div>
    </>
  );
}

/** From how many characters on a column is not squeezed below what can be read, so that the table scrolls. */
const longCell = 24;
const veryLongCell = 120;

function Table({ table }: { table: Tokens.Table }) {
  const sizes = table.header.map((head, column) => {
    const most = table.rows.reduce((sum, row) => Math.max(sum, row[column]?.text.length ?? 0), head.text.length / 2);
    return most > veryLongCell ? 'very-long' : most > longCell ? 'long' : undefined;
  });
  const cell = (entry: Tokens.TableCell, at: number, Tag: 'th' | 'td', size?: string) => (
    <Tag key={at} data-align={entry.align ?? undefined} data-size={size} scope={Tag === 'th' ? 'col' : undefined}>
      <Inline tokens={entry.tokens} />
    </Tag>
  );
  return (
    <ScrollGroup label={words.table} className="table-scroll">
      <table>
        <thead>
          <tr>{table.header.map((entry, at) => cell(entry, at, entry.text === '' ? 'td' : 'th', sizes[at]))}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its position
            <tr key={at}>{row.map((entry, column) => cell(entry, column, 'td'))}</tr>
          ))}
        </tbody>
      </table>
    </ScrollGroup>
  );
}
