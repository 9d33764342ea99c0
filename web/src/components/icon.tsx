/** A line icon. Decorative: its meaning is in a text beside it or in the label of its button. */

export function Icon({ path, size = 20, grid = 20, strokeWidth = 1.5 }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${grid} ${grid}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

type IconProps = {
  path: string;
  size?: number;
  /** Width and height of the coordinates of the path. */
  grid?: number;
  strokeWidth?: number;
};
