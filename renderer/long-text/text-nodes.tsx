import { Fragment, memo, type ReactNode } from 'react';
import { shownText } from './shown-text.ts';
import { isWrittenWithoutSpaces, toTextNodes } from './weight.ts';

interface TextNodesProps {
  text: string;
  /** Only the beginning is drawn, up to this weight. */
  maxWeight?: number;
  /** Transforms each node; must give the same by node as for the whole text. */
  as?: ((node: string) => string) | undefined;
}

/** A text in nodes of which each is drawn once, however much follows it. */
export function TextNodes({ text, maxWeight = Number.POSITIVE_INFINITY, as = same }: TextNodesProps): ReactNode {
  const nodes = toTextNodes(text, maxWeight);
  const [only] = nodes;
  if (nodes.length <= 1) return only ? shownText(as(only)) : null;
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: nodes only ever join at the end
    <Fragment key={index}>
      {index > 0 && isOneRun(nodes[index - 1], node) && <wbr />}
      <TextNode text={as(node)} />
    </Fragment>
  ));
}

const same = (node: string): string => node;

/** A run without spaces is divided, because the browser's time to break it into lines grows with the square of it. */
const isOneRun = (before: string | undefined, node: string): boolean =>
  isWrittenWithoutSpaces(before?.codePointAt(before.length - 1) ?? 0) &&
  isWrittenWithoutSpaces(node.codePointAt(0) ?? 0);

const TextNode = memo(({ text }: { text: string }) => shownText(text));
