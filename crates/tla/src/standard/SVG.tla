---- MODULE SVG ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

SVGElem(name, attributes, children, text) ==
    [name |-> name, attrs |-> attributes, children |-> children, innerText |-> text]
Line(x1, y1, x2, y2, attributes) ==
    LET own == [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)]
    IN  SVGElem("line", own @@ attributes, <<>>, "")
Circle(cx, cy, r, attributes) ==
    SVGElem("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)] @@ attributes, <<>>, "")
Rect(x, y, w, h, attributes) ==
    LET own == [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)]
    IN  SVGElem("rect", own @@ attributes, <<>>, "")
Text(x, y, text, attributes) == SVGElem("text", [x |-> ToString(x), y |-> ToString(y)] @@ attributes, <<>>, text)
Image(x, y, width, height, href, attributes) ==
    LET own == [x |-> ToString(x), y |-> ToString(y), width |-> ToString(width), height |-> ToString(height)]
    IN  SVGElem("image", own @@ ("xlink:href" :> href) @@ attributes, <<>>, "")
Group(children, attributes) == SVGElem("g", attributes, children, "")
Svg(children, attributes) == SVGElem("svg", attributes, children, "")
SVGDoc(children, x, y, w, h, attributes) ==
    LET box == ToString(x) \o " " \o ToString(y) \o " " \o ToString(w) \o " " \o ToString(h)
        own == ("xmlns" :> "http://www.w3.org/2000/svg") @@ ("xmlns:xlink" :> "http://www.w3.org/1999/xlink") @@ ("viewBox" :> box)
    IN  Svg(<<children>>, own @@ attributes)
PointOnLine(from, to, segment) ==
    [x |-> from.x + ((to.x - from.x) \div segment), y |-> from.y + ((to.y - from.y) \div segment)]
====
