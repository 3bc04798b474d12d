// Notes are comment lines that a journey types in the page or writes on disk. Comments do not change the catalog, so
// notes may be anywhere. Each is put below an anchor, a line that names an entry or an image, and must stay there.

export type Note = { text: string; file: string; anchor: string };

const ANCHOR = /^\s*- name: \S|^image: \S/;
const NOTE = /^\s*# (typed|outside) \d+\.$/;

/// The full stop shows that the number is complete.
export const noteText = (kind: 'typed' | 'outside', number: number): string => `# ${kind} ${number}.`;

/// The lines of a text below which a note may be put.
export const anchors = (text: string): string[] => text.split('\n').filter(line => ANCHOR.test(line));

/// The text with the note on its own line below its anchor; `null` if the anchor is missing.
export function withNote(text: string, note: Note): string | null {
  const lines = text.split('\n');
  const at = lines.indexOf(note.anchor);
  if (at < 0) return null;
  lines.splice(at + 1, 0, note.text);
  return lines.join('\n');
}

/// Errors in the places of notes: a note that occurs twice, or below another anchor.
export function findMisplaced(file: string, text: string, notes: readonly Note[]): string[] {
  const misplaced: string[] = [];
  const lines = text.split('\n');
  for (const note of notes) {
    const places = lines.flatMap((line, at) => (line === note.text ? [at] : []));
    if (places.length > 1) misplaced.push(`${note.text} is in ${file} ${places.length} times`);
    const [place] = places;
    if (place === undefined) continue;
    if (note.file !== file) {
      misplaced.push(`${note.text} belongs to ${note.file} and is in ${file}`);
      continue;
    }
    let above = place - 1;
    while (above >= 0 && !ANCHOR.test(lines[above] ?? '')) above--;
    if (lines[above] !== note.anchor) misplaced.push(`${note.text} in ${file} is below “${lines[above] ?? ''}”, was put below “${note.anchor}”`);
  }
  return misplaced;
}

/// The notes in a text, in order.
export const notesIn = (text: string): string[] => text.split('\n').filter(line => NOTE.test(line));

/// The text without lines that are a prefix of the note, which was being typed.
export const withoutBeginning = (text: string, note: string): string =>
  text.split('\n').filter(line => !note.startsWith(line.trim())).join('\n');
