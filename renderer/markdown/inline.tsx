import { ImageIcon } from 'lucide-react';
import type { MarkedToken, Token } from 'marked';
import { createContext, createElement, memo, type ReactNode, useContext } from 'react';
import type { ElementToken } from '#shared/markdown/elements.ts';
import { decodeEntities } from '#shared/markdown/entities.ts';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { TextNodes } from '../long-text/text-nodes.tsx';
import { markdownText as words } from '../text/markdown-text.ts';
import { Formula } from './formula.tsx';
import { namedImage } from './named-images.ts';
import { useOpenLinkHere } from './open-link.ts';
import { safeLink } from './safe-link.ts';
import { ImagesHere, useShowImageHere } from './show-image.ts';

/** Renders inline tokens as React elements. Only the elements named here can be created. */
export function Inline({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an inline token is identified by its position
    <InlineToken key={index} token={token as MarkedToken | MathsToken | ElementToken} />
  ));
}

/** Memoised by its token, so that a paragraph that grows or is drawn in parts renders only new tokens. */
const InlineToken = memo(function InlineToken({
  token,
}: {
  token: MarkedToken | MathsToken | ElementToken;
}): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : <TextNodes text={decodeEntities(token.text)} />;
    case 'escape':
      return token.text;
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return (
        <code>
          <TextNodes text={token.text} />
        </code>
      );
    case 'br':
      return <br />;
    case 'element':
      return createElement(token.name, null, <Inline tokens={token.tokens} />);
    case 'maths':
      return <Formula token={token} />;
    case 'link':
      return <OutsideLink href={token.href}>{<Inline tokens={token.tokens} />}</OutsideLink>;
    case 'image':
      return <ImageChip href={token.href} alt={token.text} />;
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={token.checked}
          readOnly
          disabled
          aria-label={token.checked ? words.done : words.open}
        />
      );
    default:
      return 'raw' in token ? <TextNodes text={token.raw} /> : null;
  }
});

/** True inside a link, where nothing else is clickable: one click must not open two addresses. */
const WithinLink = createContext(false);

export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  const open = useOpenLinkHere();
  const within = useContext(WithinLink);
  const url = safeLink(href);
  if (!url || within) return children;
  return (
    <a
      href={url}
      title={url}
      rel="noreferrer noopener"
      onClick={(event) => {
        event.preventDefault();
        open(url);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      <WithinLink value={true}>{children}</WithinLink>
    </a>
  );
}

/**
 * An image in an answer. It isn't fetched until the reader clicks, because its server would learn who reads the answer.
 * The chip shows its address. Without an image viewer it is a link.
 */
function ImageChip({ href, alt }: { href: string; alt: string }) {
  const image = namedImage({ href, text: alt });
  const show = useShowImageHere();
  const imagesHere = useContext(ImagesHere);
  const within = useContext(WithinLink);
  if (show && !within && image) {
    const { url, name } = image;
    const label = `${name} (${new URL(url).host})`;
    const open = () => {
      const all = imagesHere();
      const index = all.findIndex((image) => image.url === url && image.name === name);
      if (index === -1) show([image], 0);
      else show(all, index);
    };
    return (
      <button type="button" className="image-chip" title={url} aria-label={words.showImage(label)} onClick={open}>
        <ImageIcon size={14} aria-hidden />
        {label}
      </button>
    );
  }
  const url = safeLink(href);
  const name = decodeEntities(alt) || words.image;
  return (
    <span className="image-chip">
      <ImageIcon size={14} aria-hidden />
      <OutsideLink href={href}>{url ? `${name} (${new URL(url).host || words.link})` : name}</OutsideLink>
    </span>
  );
}
