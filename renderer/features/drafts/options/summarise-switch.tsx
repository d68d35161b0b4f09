import { composerText as text } from '../../../text/composer-text.ts';
import { Switch } from '../../../ui/forms/switch.tsx';

/** Whether a chat that no longer fits is summarised automatically, which costs a request each time. */
export function SummariseSwitch({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <div className="flex items-start gap-3 pt-2">
      <Switch label={text.summarise} checked={value} onChange={onChange} />
      <div>
        <p className="text-sm">{text.summarise}</p>
        <p className="text-fg-3 text-xs">{text.summariseNote}</p>
      </div>
    </div>
  );
}
