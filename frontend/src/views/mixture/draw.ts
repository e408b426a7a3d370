// Points of a map with the components of a mixture over them, on a canvas.
import type { MixtureFrame } from "../../server/documents";
import { colours } from "../../server/theme.svelte";

export interface Window {
  left: number;
  bottom: number;
  width: number;
  height: number;
}

/** The window that holds all points, with a margin. */
export function windowOf(points: number[][]): Window {
  const [xs, ys] = [points.map((p) => p[0]!), points.map((p) => p[1]!)];
  const span = (values: number[]) => values.reduce(([a, b], v) => [Math.min(a!, v), Math.max(b!, v)], [Infinity, -Infinity]) as [number, number];
  const [[left, right], [bottom, top]] = [span(xs), span(ys)];
  const [mx, my] = [0.04 * (right - left || 1), 0.04 * (top - bottom || 1)];
  return { left: left - mx, bottom: bottom - my, width: right - left + 2 * mx, height: top - bottom + 2 * my };
}

class Sheet {
  readonly pen: CanvasRenderingContext2D;
  readonly scale: number;
  readonly height: number;
  readonly dot: number;

  constructor(canvas: HTMLCanvasElement, readonly window: Window, width: number) {
    this.dot = devicePixelRatio || 1;
    this.height = (width * window.height) / window.width;
    canvas.width = Math.round(width * this.dot);
    canvas.height = Math.round(this.height * this.dot);
    this.scale = width / window.width;
    this.pen = canvas.getContext("2d")!;
    this.pen.scale(this.dot, this.dot);
  }

  at(x: number, y: number): [number, number] {
    return [(x - this.window.left) * this.scale, this.height - (y - this.window.bottom) * this.scale];
  }

  points(points: number[][]): void {
    this.pen.fillStyle = colours.token("faint");
    this.pen.globalAlpha = 0.5;
    for (const point of points) this.pen.fillRect(...this.at(point[0]!, point[1]!), 1.5, 1.5);
    this.pen.globalAlpha = 1;
  }

  stroke(i: number, fill: boolean): void {
    this.pen.strokeStyle = this.pen.fillStyle = colours.series(i);
    this.pen.lineWidth = 2;
    this.pen.globalAlpha = 0.12;
    if (fill) this.pen.fill();
    this.pen.globalAlpha = 1;
    this.pen.stroke();
  }
}

/** Ellipses at one and two standard deviations. */
export function drawGaussian(canvas: HTMLCanvasElement, width: number, window: Window, points: number[][], parts: MixtureFrame["gaussian"]): void {
  const sheet = new Sheet(canvas, window, width);
  sheet.points(points);
  parts?.means.forEach((mean, i) => {
    const [[a, b], [, d]] = parts.covariances[i] as [[number, number], [number, number]];
    const [middle, half] = [(a + d) / 2, Math.hypot((a - d) / 2, b)];
    const angle = Math.atan2(2 * b, a - d) / 2;
    for (const far of [1, 2]) {
      const radius = (square: number) => far * Math.sqrt(Math.max(square, 0)) * sheet.scale;
      sheet.pen.beginPath();
      sheet.pen.ellipse(...sheet.at(mean[0]!, mean[1]!), radius(middle + half), radius(middle - half), -angle, 0, 2 * Math.PI);
      sheet.stroke(i, far === 1);
    }
  });
}

/** Boxes, each with an arrow from its centre as long as its gradient; a gradient of zero is a cross. */
export function drawUniform(canvas: HTMLCanvasElement, width: number, window: Window, points: number[][], parts: MixtureFrame["uniform"], gradient: number[]): void {
  const sheet = new Sheet(canvas, window, width);
  sheet.points(points);
  parts?.centres.forEach((centre, i) => {
    const [w, h] = [parts.sizes[i]![0]! * sheet.scale, parts.sizes[i]![1]! * sheet.scale];
    const [x, y] = sheet.at(centre[0]!, centre[1]!);
    sheet.pen.beginPath();
    sheet.pen.rect(x - w / 2, y - h / 2, w, h);
    sheet.stroke(i, true);
    sheet.pen.beginPath();
    if (gradient[i] === 0) {
      sheet.pen.moveTo(x - 4, y - 4);
      sheet.pen.lineTo(x + 4, y + 4);
      sheet.pen.moveTo(x + 4, y - 4);
      sheet.pen.lineTo(x - 4, y + 4);
    } else sheet.pen.arc(x, y, 4, 0, 2 * Math.PI);
    sheet.stroke(i, false);
  });
}

/** The size of the gradient of each component, from numbers or from vectors. */
export function sizes(gradient: unknown): number[] {
  if (!Array.isArray(gradient)) return typeof gradient === "number" ? [Math.abs(gradient)] : [];
  return gradient.map((one) => (Array.isArray(one) ? Math.hypot(...one.flat(3).map(Number)) : Math.abs(Number(one))));
}
