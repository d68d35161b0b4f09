import { AudioLines, Brain, Eye, FileText, type LucideIcon, Wrench } from 'lucide-react';
import type { Ability } from './abilities.ts';

export const abilityIcons: Record<Ability, LucideIcon> = {
  vision: Eye,
  tools: Wrench,
  reasoning: Brain,
  audio: AudioLines,
  files: FileText,
};
