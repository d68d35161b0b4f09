import type { Model } from '#shared/wire/model.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Link } from '../../../ui/elements/link.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import type { OfferedGroup } from './chat-tools.tsx';

interface ToolsPanelProps {
  model: Model | null;
  groups: readonly OfferedGroup[];
  checked: boolean;
  disabled: boolean;
  onChange: (wanted: boolean) => void;
}

/** The tools that the chat offers, by server, and a switch for all of them. */
export function ToolsPanel({ model, groups, checked, disabled, onChange }: ToolsPanelProps) {
  const able = model?.capabilities.includes('tools') ?? false;
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <span>{text.toolsSwitch}</span>
        <Switch label={text.toolsSwitch} checked={checked} disabled={disabled} onChange={onChange} />
      </div>
      {!able && <p className="mt-1 text-fg-2 text-xs">{text.toolsUnable(model?.name ?? null)}</p>}
      {able && <p className="mt-1 text-fg-2 text-xs">{text.toolsNote}</p>}
      {groups.length === 0 ? (
        <p className="mt-3 text-fg-2 text-xs">{text.toolsNone}</p>
      ) : (
        <dl className="mt-3 flex flex-col gap-2 text-xs">
          {groups.map(({ server, names }) => (
            <div key={server}>
              <dt className="font-medium">{server}</dt>
              <dd className="text-fg-2 wrap-anywhere">{names.join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
      <Link to={{ page: 'settings', section: 'tools' }} className="mt-3 inline-block text-accent text-xs">
        {text.toolsSettings}
      </Link>
    </>
  );
}
