import type { ComponentProps } from 'react';
import { getHash, type Loc, useNav } from '../../navigation/nav.ts';

/** The class of a link in a row of buttons, or above a table. */
export const buttonLink =
  'inline-flex h-control items-center rounded-control px-3 font-medium text-accent hover:bg-hover';

/** A link to a location in this window. It is a real link, so that it can be found, focused and copied as one. */
export function Link({ to, onClick, ...rest }: Omit<ComponentProps<'a'>, 'href'> & { to: Loc }) {
  const go = useNav((nav) => nav.go);
  return (
    <a
      {...rest}
      href={getHash(to)}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}
