import { X } from 'lucide-react';
import { routingText as text } from '../../../text/routing-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';

interface IgnoredModelsProps {
  value: readonly string[];
  names: Readonly<Record<string, string>>;
  onChange: (value: string[]) => void;
}

/** Models that Auto does not choose in this chat. */
export function IgnoredModels({ value, names, onChange }: IgnoredModelsProps) {
  if (value.length === 0) return null;
  const getName = (id: string) => names[id] ?? id;
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-fg-2 text-xs">{text.ignored}</p>
      <ul aria-label={text.ignored} className="divide-y divide-line">
        {value.map((id) => (
          <li key={id} className="flex items-center gap-2 text-sm">
            <span className="min-w-0 flex-1 wrap-anywhere">{getName(id)}</span>
            <IconButton
              icon={X}
              size="sm"
              label={text.removeIgnored(getName(id))}
              onClick={() => onChange(value.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
