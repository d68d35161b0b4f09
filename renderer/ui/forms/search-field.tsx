import { Search } from 'lucide-react';
import type { Ref } from 'react';
import { fieldClass } from './text-field.tsx';

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}

export function SearchField({ label, value, onChange, inputRef }: SearchFieldProps) {
  return (
    <div className="relative min-w-40 flex-1 sm:max-w-60">
      <Search
        size={14}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-fg-3"
        aria-hidden
      />
      <input
        ref={inputRef}
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.stopPropagation();
          onChange('');
        }}
        className={`${fieldClass} pl-8`}
      />
    </div>
  );
}
