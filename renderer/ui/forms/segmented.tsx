import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';

interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** A choice of few options, all visible. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={([next]) => {
        const chosen = options.find((option) => option.value === next);
        if (chosen) onChange(chosen.value);
      }}
      className="inline-flex min-h-control max-w-full shrink-0 flex-wrap rounded-control border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <Toggle
          key={option.value}
          value={option.value}
          className="rounded-tag px-2.5 py-0.5 text-fg-2 text-xs font-medium whitespace-nowrap hover:text-fg data-pressed:bg-surface data-pressed:text-fg data-pressed:shadow-rest data-pressed:outline data-pressed:outline-line focus-visible:outline-2 focus-visible:outline-ring"
        >
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
