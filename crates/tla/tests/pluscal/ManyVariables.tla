---- MODULE ManyVariables ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ManyVariables
variables first_variable = 0, second_variable = 0, third_variable = 0, fourth_variable = 0,
          fifth_variable = 0, sixth_variable = 0, seventh_variable = 0;
begin
FirstLabelOfTheAlgorithm:
  if first_variable = 0 then
    second_variable := 1;
    SecondLabelOfTheAlgorithm: third_variable := 1;
  else
    ThirdLabelOfTheAlgorithm: fourth_variable := 1;
  end if;
FourthLabelOfTheAlgorithm:
  either fifth_variable := 1;
  or sixth_variable := 1; seventh_variable := 1;
  or first_variable := 1; goto FirstLabelOfTheAlgorithm;
  end either;
end algorithm
*)
====
