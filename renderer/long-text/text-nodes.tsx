import { Fragment, memo, type ReactNode } from 'react';
import { shownText } from './shown-text.ts';
import { isWrittenWithoutSpaces, toTextNodes } from './weight.ts';

interface TextNodesProps {
  text: string;
  /** Draws only the beginning, up to this weight. */
  maxWeight?: number;
  /** Transforms each node. Transforming node by node must give the same result as transforming the whole text. */
  as?: ((node: string) => string) | undefined;
}

/** Renders a text in nodes. Appended text never draws earlier nodes again. */
export function TextNodes({ text, maxWeight = Number.POSITIVE_INFINITY, as = same }: TextNodesProps): ReactNode {
  const nodes = toTextNodes(text, maxWeight);
  const [only] = nodes;
  if (nodes.length <= 1) return only ? shownText(as(only)) : null;
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: nodes are only appended
    <Fragment key={index}>
      {index > 0 && isOneRun(nodes[index - 1], node) && <wbr />}
      <TextNode text={as(node)} />
    </Fragment>
  ));
}

const same = (node: string): string => node;

/**
 * True if two nodes belong to one run without spaces. Such runs are divided, because breaking one into lines takes time
 * that grows with the square of its length.
 */
const isOneRun = (before: string | undefined, node: string): boolean =>
  isWrittenWithoutSpaces(before?.codePointAt(before.length - 1) ?? 0) &&
  isWrittenWithoutSpaces(node.codePointAt(0) ?? 0);

const TextNode = memo(({ text }: { text: string }) => shownText(text));
