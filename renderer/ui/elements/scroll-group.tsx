import type { ComponentProps } from 'react';

/** A labelled scroll container that can be reached and scrolled by keyboard. */
export function ScrollGroup({ label, ...rest }: ComponentProps<'div'> & { label: string }) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
  return <div {...rest} role="group" aria-label={label} tabIndex={0} />;
}
