//! The upgrade graph as text: Mermaid, DOT, SVG, JSON.
