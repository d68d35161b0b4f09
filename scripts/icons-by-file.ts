import type { Plugin } from 'vite';

const imported = /import \{([^}]*)\} from ["']lucide-react["'];?/g;

/**
 * Imports each icon from its own file instead of from the list of all icons. Through that list, every icon of every
 * view would be part of what the window loads first. A name without a file stops the build.
 */
export function iconsByFile(): Plugin {
  return {
    name: 'icons-by-file',
    apply: 'build',
    transform: {
      filter: { code: 'lucide-react' },
      handler: (code) => ({
        code: code.replace(imported, (_, names: string) => names.split(',').map(oneImport).join('')),
        map: null,
      }),
    },
  };
}

function oneImport(part: string): string {
  const [name = '', local = name] = part.trim().split(/\s+as\s+/);
  // `ImageIcon` is another name of `Image`.
  const file = name
    .replace(/Icon$/, '')
    .replace(/([a-z])(?=[A-Z0-9])|([0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
    .toLowerCase();
  return name === '' ? '' : `import ${local} from "lucide-react/icons/${file}";`;
}
