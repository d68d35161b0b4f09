import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { composerText as text } from '../../../text/composer-text.ts';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';

interface ModelButtonProps extends ComponentProps<'button'> {
  provider: string;
  name: string;
}

/** A button that shows the chosen model and opens the picker. */
export function ModelButton({ provider, name, ...rest }: ModelButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      aria-label={text.model}
      className="flex h-8 min-w-0 max-w-56 items-center gap-1.5 rounded-control px-2 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg data-popup-open:bg-hover"
    >
      <ProviderMark provider={provider} size={16} />
      <span className="truncate">{name}</span>
      <ChevronDown size={14} className="shrink-0" aria-hidden />
    </button>
  );
}
