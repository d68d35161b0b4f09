import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { compareText as text } from '../../../../text/compare-text.ts';
import { Button } from '../../../../ui/elements/button.tsx';
import { IconButton } from '../../../../ui/elements/icon-button.tsx';
import { ProviderMark } from '../../../../ui/elements/provider-mark.tsx';
import { getProblem, named } from './compare-models.ts';

interface CompareBarProps {
  models: readonly Model[];
  value: readonly string[];
  onChange: (models: string[]) => void;
  /** The picker that adds models. */
  picker: ReactNode;
}

/** The models of the comparison that the next message starts. */
export function CompareBar({ models, value, onChange, picker }: CompareBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-3 pt-3">
      <ul aria-label={text.models} className="contents">
        {value.map((id) => {
          const record = named(models, id);
          const name = record?.name ?? id;
          return (
            <li
              key={id}
              data-lost={getProblem(models, id) !== null || undefined}
              className="flex h-7 min-w-0 max-w-56 items-center gap-1.5 rounded-control border border-line bg-sunken pl-2 font-medium text-xs data-lost:border-warn data-lost:text-warn"
            >
              <ProviderMark provider={record?.provider ?? id} size={16} />
              <span className="truncate">{name}</span>
              <IconButton
                icon={X}
                size="sm"
                label={text.remove(name)}
                onClick={() => onChange(value.filter((other) => other !== id))}
              />
            </li>
          );
        })}
      </ul>
      {picker}
      <Button variant="quiet" className="ml-auto" onClick={() => onChange([])}>
        {text.leave}
      </Button>
    </div>
  );
}
