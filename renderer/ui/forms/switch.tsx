import { Switch as Base } from '@base-ui/react/switch';

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  disabled?: boolean;
}

export function Switch({ checked, onChange, label, disabled = false }: SwitchProps) {
  return (
    <Base.Root
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      aria-label={label}
      className="inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-control bg-transparent p-0.5 transition-colors duration-[120ms] data-checked:border-accent-fill data-checked:bg-accent-fill data-disabled:opacity-45"
    >
      <Base.Thumb className="size-3.5 rounded-full bg-control transition-[translate,background-color] duration-[120ms] data-checked:translate-x-4 data-checked:bg-[white]" />
    </Base.Root>
  );
}
