import { AudioLines, Brain, Eye, FileText, Globe, type LucideIcon, Wrench } from 'lucide-react';
import type { Ability } from './abilities.ts';

export const abilityIcons: Record<Ability, LucideIcon> = {
  vision: Eye,
  tools: Wrench,
  web_search: Globe,
  reasoning: Brain,
  audio: AudioLines,
  files: FileText,
};
